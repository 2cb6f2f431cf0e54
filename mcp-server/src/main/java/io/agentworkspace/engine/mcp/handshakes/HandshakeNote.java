package io.agentworkspace.engine.mcp.handshakes;

import io.agentworkspace.engine.identity.credentials.ClientName;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One handshake of an MCP client, before it is stored.
 *
 * @param id equal for repetitions of the same refusal by the same client
 * @param source equal for everything that one client sends
 * @param again whether to drop the note if the same client connected less than {@link #WHILE} ago
 * @param refusal null if nothing was wrong
 */
public record HandshakeNote(
        UUID id,
        UUID source,
        boolean again,
        Instant at,
        long times,
        Client client,
        int status,
        @Nullable Refusal refusal) {
    /** The time within which repetitions by the same client count as one handshake. */
    public static final Duration WHILE = Duration.ofMinutes(10);

    private static final int LONG_TEXT = 200;

    HandshakeNote and(HandshakeNote next) {
        var latest = at.isAfter(next.at) ? at : next.at;
        return new HandshakeNote(id, source, again, latest, times + next.times, next.client, next.status, next.refusal);
    }

    /** Returns how many characters its texts have. */
    int length() {
        return Stream.of(
                        client.method,
                        client.name,
                        client.version,
                        client.protocolVersion,
                        client.userAgent,
                        client.toolset,
                        refusal == null ? null : refusal.note)
                .filter(Objects::nonNull)
                .mapToInt(String::length)
                .sum();
    }

    /**
     * The owner of handshakes: a key, or a user who signed in without one.
     *
     * @param tenant null, as is the user, if the client only named a key without proving it
     * @param key the key's id, or null for a user without a key
     */
    public record Holder(
            @Nullable Long tenant,
            @Nullable Long user,
            @Nullable String key) {
        public static Holder of(Caller caller) {
            return new Holder(
                    caller.tenant(), caller.user(), caller.credential().key());
        }

        /** Returns the holder for clients that named this key without a valid secret. */
        public static Holder named(String key) {
            return new Holder(null, null, key);
        }

        boolean isProven() {
            return tenant != null;
        }
    }

    /**
     * What a client sent about itself.
     *
     * @param method the method of its first message
     * @param toolset the path and headers by which it limits its tools
     */
    public record Client(
            String era,
            @Nullable String method,
            @Nullable String name,
            @Nullable String version,
            @Nullable String protocolVersion,
            @Nullable String userAgent,
            @Nullable String toolset) {
        /** Returns a copy with each text cut to the length that is held in memory. */
        public Client shortened() {
            return new Client(
                    era,
                    ClientName.shortened(method),
                    ClientName.shortened(name),
                    ClientName.shortened(version),
                    ClientName.shortened(protocolVersion),
                    ClientName.shortened(userAgent),
                    ClientName.shortened(toolset));
        }

        /** Returns a copy with each text as it is stored. */
        Client readable() {
            return new Client(
                    era,
                    ClientName.readable(method),
                    ClientName.readable(name),
                    ClientName.readable(version),
                    ClientName.readable(protocolVersion),
                    ClientName.readable(userAgent, LONG_TEXT),
                    ClientName.readable(toolset, LONG_TEXT));
        }
    }

    /** The refusal as it was sent to the client. */
    public record Refusal(String flaw, int code, String note) {
        public Refusal {
            note = Objects.requireNonNull(ClientName.shortened(note));
        }
    }
}
