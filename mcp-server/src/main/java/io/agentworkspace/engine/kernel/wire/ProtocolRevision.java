package io.agentworkspace.engine.kernel.wire;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The supported revisions of the protocol, newest first. */
public enum ProtocolRevision {
    MODERN("2026-07-28"),
    NOVEMBER_2025("2025-11-25"),
    JUNE_2025("2025-06-18"),
    MARCH_2025("2025-03-26");

    private final String word;

    ProtocolRevision(String word) {
        this.word = word;
    }

    /** Returns the revision as it is sent in messages. */
    public String word() {
        return word;
    }

    /** Returns whether each request is self-contained. The other revisions use sessions. */
    boolean isStateless() {
        return this == MODERN;
    }

    public static Optional<ProtocolRevision> find(String word) {
        return Arrays.stream(values())
                .filter(revision -> revision.word.equals(word))
                .findFirst();
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(ProtocolRevision::word).toList();
    }

    /** Returns the revision for a client that requested this one in {@code initialize}. */
    public static ProtocolRevision negotiated(String version) {
        return find(version).filter(revision -> !revision.isStateless()).orElse(NOVEMBER_2025);
    }
}
