package io.agentworkspace.engine.mcp.doctor;

import io.agentworkspace.engine.credentials.ClientName;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a client of MCP met the service once, as it is noted.
 *
 * @param id the same for what came again
 * @param source the same for whatever one client sends
 * @param again whether it is none where the same client has met us {@link #WHILE a while} ago
 * @param refusal null where nothing was wrong
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
    /** For so long the same from the same client is no handshake of its own. */
    public static final Duration WHILE = Duration.ofMinutes(10);

    private static final int LONG_TEXT = 200;

    HandshakeNote and(HandshakeNote next) {
        return new HandshakeNote(
                id, source, again, next.at, times + next.times, next.client, next.status, next.refusal);
    }

    /**
     * Whose handshakes they are.
     *
     * @param tenant null, as the user, for who only named a key
     * @param key the id, or null for a user that came without a key
     */
    public record Holder(
            @Nullable Long tenant,
            @Nullable Long user,
            @Nullable String key) {
        public static Holder of(Caller caller) {
            return new Holder(
                    caller.tenant(), caller.user(), caller.credential().key());
        }

        /** Whoever named this key without proving that it has it. */
        public static Holder named(String key) {
            return new Holder(null, null, key);
        }

        boolean isProven() {
            return tenant != null;
        }
    }

    /**
     * What a client said of itself.
     *
     * @param method what it began with
     * @param toolset by what it limits itself
     */
    public record Client(
            String era,
            @Nullable String method,
            @Nullable String name,
            @Nullable String version,
            @Nullable String protocolVersion,
            @Nullable String userAgent,
            @Nullable String toolset) {
        /** With so much of each text as is noted. */
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

        /** As it is kept. */
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

    /** What was wrong, as it was answered. */
    public record Refusal(String flaw, int code, String note) {}
}
