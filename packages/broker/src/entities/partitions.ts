/** The number of partitions of a partitioned entity, as in the service's standard tier. */
export const partitions = 16;
