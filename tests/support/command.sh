# command.sh - what tests of the `jumpcore` command in the shell share. To be
# sourced; the test then stands in an empty folder of its own, which goes when
# it ends. The test sets `jumpcore` to the program, may set `command` to the
# subcommand that run() is about, and ends with `finish`.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
command=
failures=0

# check NAME COMMAND...: the test fails when the command does.
check() {
    name=$1
    shift
    if "$@" >check.log 2>&1; then echo "ok: $name"
    else
        echo "NOT OK: $name: $*"
        for file in check.log out.txt err.txt; do [ ! -e "$file" ] || cat "$file"; done
        failures=$((failures + 1))
    fi
}

# run CODE ARGUMENT...: the subcommand exits with this code; its output is in
# out.txt and err.txt. Standard input is the function's own.
run() {
    expected=$1
    shift
    code=0
    # shellcheck disable=SC2086
    "$jumpcore" $command "$@" >out.txt 2>err.txt || code=$?
    check "'${command:+$command }$*' exits with $expected" [ "$code" = "$expected" ]
}
says() { check "it says '$1'" grep -qF -- "$1" out.txt err.txt; }
says_not() { check "it does not say '$1'" [ "$(grep -cF -- "$1" out.txt)" = 0 ]; }
absent() { check "there is no $1" [ ! -e "$1" ]; }

finish() {
    [ "$failures" = 0 ] && exit 0
    echo "$failures checks failed"
    exit 1
}
