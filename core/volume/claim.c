/* Cross-links: clusters that two files share. */
#include "internal.h"

/* The clusters of `node` as a chain: all of them, whatever its size says. */
static void begin(const jc_volume *volume, const jc_node *node, jc_chain *chain)
{
    uint32_t limit = volume->info.cluster_count;
    if (node->contiguous)
        limit = jc_clusters_for(volume, node->size_bytes);
    jc_chain_begin(chain, node->first_cluster, node->contiguous, limit);
}

/* Follows the chain. Clusters in `taken` are cross-links, the others get into
 * `claimed`; either may be NULL. */
static int walk(jc_volume *volume, const jc_node *node, const uint8_t *taken, uint8_t *claimed)
{
    jc_chain chain;
    uint32_t first = 0;
    uint32_t count = 0;
    int result;
    begin(volume, node, &chain);
    while ((result = jc_chain_next(volume, &chain, &first, &count)) == 1) {
        for (uint32_t i = 0; taken != NULL && i < count; i++) {
            uint32_t bit = first - JC_CLUSTER_FIRST + i;
            uint8_t mask = (uint8_t)(1u << (bit % 8));
            if (taken[bit / 8] & mask)
                return JC_ERR_CROSS_LINK;
            if (claimed != NULL)
                claimed[bit / 8] |= mask;
        }
    }
    return result;
}

static int check_and_walk(jc_volume *volume, const jc_node *node, const uint8_t *taken,
                          uint8_t *claimed, size_t bytes)
{
    if (bytes < ((size_t)volume->info.cluster_count + 7) / 8)
        return JC_ERR_NO_SPACE;
    if (node->contiguous &&
        node->size_bytes > (uint64_t)volume->info.cluster_count * volume->info.cluster_bytes)
        return JC_ERR_FILE_SIZE;
    int result = walk(volume, node, NULL, NULL); /* first: a loop is no cross-link */
    return result == JC_OK ? walk(volume, node, taken, claimed) : result;
}

int jc_volume_claim(jc_volume *volume, const jc_node *node, uint8_t *claimed, size_t bytes)
{
    return check_and_walk(volume, node, claimed, claimed, bytes);
}

int jc_volume_look_up_claims(jc_volume *volume, const jc_node *node, const uint8_t *claimed,
                             size_t bytes)
{
    return check_and_walk(volume, node, claimed, NULL, bytes);
}
