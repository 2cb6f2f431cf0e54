package io.agentworkspace.engine.model.mcp;

import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A handshake of an MCP client: who the client claims to be, the result, and how to correct a failure. What the
 * client reports about itself is truncated, and may be untrue.
 */
public record Handshake(
        @Doc("When; of one that came again, the last time.") Instant at,

        @Doc("How often it came, the same each time, within ten minutes.")
        long times,

        @Doc(
                value =
                        "How the client speaks: stateless (modern, 2026-07-28), in a session that initialize begins, or just JSON-RPC (bare).",
                oneOf = {"modern", "session", "bare"})
        String era,

        @Doc("The method that it began with, as far as it could be read.") @Nullable
        String method,

        @Doc("What the client calls itself.") @Nullable Program client,

        @Doc("The revision of the protocol that it asked for.") @Nullable
        String protocolVersion,

        @Doc("Its header User-Agent.") @Nullable String userAgent,

        @Doc("What it limited itself to, by path or headers.") @Nullable
        String toolset,

        @Doc("Whether it proved who it is; if not, it only named the key, and anybody may have sent it.")
        boolean authenticated,

        @Doc(
                value = "What came of it.",
                oneOf = {"ok", "refused"})
        String outcome,

        @Doc("The HTTP status of the answer.") int status,

        @Doc("What the answer said, where it was refused.") @Nullable
        Refusal error,

        @Doc("What was wrong, in words.") @Nullable String wrong,
        @Doc("What would be right, or what to do next.") String advice,

        @Doc("The configuration that is right for this client, where one helps.") @Nullable
        ClientConfiguration configuration) {
    /** A client program, as it names itself. */
    public record Program(
            @Doc("Its name.") String name,
            @Doc("Its version.") @Nullable String version) {}

    /** The error that was returned to the client. */
    public record Refusal(
            @Doc("The code of the JSON-RPC error.") int code,
            @Doc("The note in the answer.") String note) {}

    /** The latest handshakes of a key, or of another credential of a user. */
    public record Latest(
            @Doc("The key that they are of; absent for those without a key.") @Nullable
            String key,

            @Doc("The user whose they are.") String user,
            @Doc("The newest first.") List<Handshake> handshakes) {}
}
