package io.agentworkspace.engine.memory.banks.transfer.source;

/**
 * Where something is in what was sent.
 *
 * @param file the path in a folder; empty for a single file
 * @param line counted from 1: a line, or the number of an entry
 */
public record Place(String file, long line) {}
