#!/bin/sh
# The models in cards/ are what cards/derive.sh makes of the logs.
# usage: test_shipped_models.sh JUMPCORE REPOSITORY
set -eu
jumpcore=$1
repository=$2
logs=${JUMPCORE_SHARED:-$repository/../shared}/data/core-logs/experiment1
[ -d "$logs" ] || { echo "skipped: $logs is not here"; exit 77; }
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$repository/cards/derive.sh" "$jumpcore" "$logs" "$made" >/dev/null
count=0
for model in "$repository"/cards/*.csv; do
    cmp "$model" "$made/${model##*/}"
    count=$((count + 1))
done
[ "$count" = 14 ] || { echo "there are $count models instead of 14"; exit 1; }
[ "$(ls "$made" | wc -l)" = 14 ] || { echo "derive.sh made another number of files"; ls "$made"; exit 1; }
