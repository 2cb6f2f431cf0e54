package io.agentworkspace.engine.app.backup;

import java.util.SortedMap;

/**
 * What a backup must contain.
 *
 * @param engine the version of the engine that made it
 * @param server the version of the database's server
 * @param schema the version of the schema
 * @param takenAt when its snapshot was taken, in ISO 8601
 * @param bytes the size of the dump
 * @param sha256 the checksum of the dump, in hexadecimal digits
 * @param tables what each table contained in the snapshot
 * @param sequences the least number of each sequence
 * @param objects how many indexes, constraints, triggers and functions there were
 */
record Manifest(
        String engine,
        String server,
        int schema,
        String takenAt,
        long bytes,
        String sha256,
        SortedMap<String, TableSum> tables,
        SortedMap<String, Long> sequences,
        SortedMap<String, Long> objects) {

    /**
     * The contents of a table, without the columns that the database computes.
     *
     * @param sum the sum of a 64-bit hash of each row, as a decimal number
     */
    record TableSum(long rows, String sum) {}

    long rows() {
        return tables.values().stream().mapToLong(TableSum::rows).sum();
    }
}
