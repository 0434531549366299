/* Cluster chains as runs of clusters that follow each other. */
#include "internal.h"

uint32_t jc_clusters_for(const jc_volume *volume, uint64_t bytes)
{
    return (uint32_t)((bytes + volume->info.cluster_bytes - 1) / volume->info.cluster_bytes);
}

void jc_chain_begin(jc_chain *chain, uint32_t first, bool contiguous, uint32_t limit)
{
    *chain = (jc_chain){.first = first, .limit = limit, .loop_power = 1, .contiguous = contiguous};
}

/* Count `cluster` as delivered. A chain that comes back to itself meets, sooner
 * or later, the cluster remembered at the last power of two (R. P. Brent, "An
 * improved Monte Carlo factorization algorithm", BIT 20, 1980). */
static void deliver(jc_chain *chain, uint32_t cluster)
{
    chain->last = cluster;
    chain->delivered++;
    if (++chain->loop_steps == chain->loop_power) {
        chain->loop_cluster = cluster;
        chain->loop_power *= 2;
        chain->loop_steps = 0;
    }
}

static int whole_run(const jc_volume *volume, jc_chain *chain, uint32_t *first, uint32_t *count)
{
    uint32_t clusters = chain->limit;
    if (!jc_cluster_valid(volume, chain->first) ||
        clusters > volume->info.cluster_count - (chain->first - JC_CLUSTER_FIRST))
        return JC_ERR_CLUSTER_RANGE;
    *first = chain->first;
    *count = clusters;
    chain->last = chain->first + clusters - 1;
    chain->delivered = clusters;
    return 1;
}

int jc_chain_next(jc_volume *volume, jc_chain *chain, uint32_t *first, uint32_t *count)
{
    if (chain->first == 0 || chain->delivered >= chain->limit)
        return 0;
    if (chain->contiguous)
        return whole_run(volume, chain, first, count);

    uint32_t cluster = chain->first;
    if (chain->delivered > 0) {
        int result = jc_fat_successor(volume, chain->last, &cluster);
        if (result != 1)
            return result;
        if (cluster == chain->loop_cluster)
            return JC_ERR_CHAIN_LOOP;
    } else if (!jc_cluster_valid(volume, cluster)) {
        return JC_ERR_CLUSTER_RANGE;
    }
    *first = cluster;
    *count = 1;
    deliver(chain, cluster);

    /* Go on for as long as it costs no read. Whatever stops the run is looked
     * at again by the next call, so that what came before it is not lost. */
    while (chain->delivered < chain->limit && jc_fat_entry_held(volume, cluster)) {
        uint32_t next = 0;
        if (jc_fat_successor(volume, cluster, &next) != 1 || next != cluster + 1 ||
            next == chain->loop_cluster)
            break;
        cluster = next;
        deliver(chain, cluster);
        ++*count;
    }
    return 1;
}

int jc_chain_tail(jc_volume *volume, const jc_chain *chain)
{
    if (chain->contiguous)
        return JC_OK;
    if (chain->delivered == 0)
        return chain->first == 0 ? JC_OK : JC_ERR_CHAIN_LONG;
    uint32_t next = 0;
    int result = jc_fat_successor(volume, chain->last, &next);
    return result == 1 ? JC_ERR_CHAIN_LONG : result;
}
