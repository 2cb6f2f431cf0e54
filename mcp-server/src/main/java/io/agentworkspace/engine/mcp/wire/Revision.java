package io.agentworkspace.engine.mcp.wire;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A revision of the protocol that is spoken here, newest first. */
public enum Revision {
    MODERN("2026-07-28"),
    NOVEMBER_2025("2025-11-25"),
    JUNE_2025("2025-06-18"),
    MARCH_2025("2025-03-26");

    private final String word;

    Revision(String word) {
        this.word = word;
    }

    /** As it stands on the wire. */
    public String word() {
        return word;
    }

    /** Whether each request carries all that it needs; the others are spoken in sessions. */
    boolean isStateless() {
        return this == MODERN;
    }

    public static Optional<Revision> find(String word) {
        return Arrays.stream(values())
                .filter(revision -> revision.word.equals(word))
                .findFirst();
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(Revision::word).toList();
    }

    /** What a client that asks for this one in {@code initialize} is given. */
    public static Revision negotiated(String asked) {
        return find(asked).filter(revision -> !revision.isStateless()).orElse(NOVEMBER_2025);
    }
}
