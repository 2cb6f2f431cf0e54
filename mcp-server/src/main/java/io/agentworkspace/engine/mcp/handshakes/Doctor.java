package io.agentworkspace.engine.mcp.handshakes;

import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.kernel.wire.Era;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.mcp.handshakes.HandshakeStore.Latest;
import io.agentworkspace.engine.mcp.handshakes.HandshakeStore.StoredHandshake;
import io.agentworkspace.engine.model.mcp.ClientConfiguration;
import io.agentworkspace.engine.model.mcp.Handshake;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.mcp.McpClient;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reports how clients connected to the MCP endpoint, and how to correct what went wrong. */
public final class Doctor {
    /** Finds toolsets in the text of {@link Handshake#toolset}: the path, and the headers as they were sent. */
    private static final Pattern TOOLSETS =
            Pattern.compile("(?i)(?:^/mcp/x/|X-MCP-Toolsets: )([\\w-]+(?:,\\s*[\\w-]+(?![\\w-]*:))*)");

    private static final Pattern READ_ONLY = Pattern.compile("(?i)^/mcp[^,]*/readonly|X-MCP-Readonly: (?!false)");

    private final HandshakeStore store;
    private final String host;
    private final Clock clock;

    /** @param mcpUrl the public address of the MCP host */
    public Doctor(HandshakeStore store, String mcpUrl, Clock clock) {
        this.store = store;
        this.host = mcpUrl;
        this.clock = clock;
    }

    /**
     * Returns the latest handshakes of a key. Without a key, returns those of the caller's own credential.
     *
     * @throws Problem {@code not_found} for a key that the caller may not manage and did not send
     */
    public Handshake.Latest latest(Caller caller, @Nullable String key) {
        store.flush(); // The latest handshakes may not be written yet.
        var id = key == null ? caller.credential().key() : key;
        var now = clock.instant();
        var latest = id == null
                ? store.ofUser(caller, now)
                : store.ofKey(caller, id, now)
                        .orElseThrow(() -> new Problem(
                                Failure.NOT_FOUND,
                                "no key '%s' that you may see; AK_List lists those that you may"
                                        .formatted(Name.shortened(id))));
        var handshakes = latest.handshakes().stream()
                .map(kept -> handshake(kept, latest, now))
                .toList();
        return new Handshake.Latest(id, latest.user(), handshakes);
    }

    private Handshake handshake(StoredHandshake kept, Latest latest, Instant now) {
        var problem = kept.flaw() == null ? null : HandshakeProblem.of(kept.flaw());
        return new Handshake(
                kept.at(),
                kept.times(),
                kept.era(),
                kept.method(),
                kept.clientName() == null ? null : new Handshake.Program(kept.clientName(), kept.clientVersion()),
                kept.protocolVersion(),
                kept.userAgent(),
                kept.toolset(),
                kept.proven(),
                problem == null ? "ok" : "refused",
                kept.status(),
                kept.code() == null || kept.note() == null ? null : new Handshake.Refusal(kept.code(), kept.note()),
                problem == null ? null : wrong(problem, latest, now),
                problem == null ? fine(kept) : problem.advice(),
                problem == null || !problem.isConfigured() ? null : configuration(kept, problem));
    }

    /** Returns what was wrong. The caller may manage the key, so it may learn why the key was refused. */
    private static String wrong(HandshakeProblem problem, Latest latest, Instant now) {
        if (problem != HandshakeProblem.KEY_REFUSED || latest.chain().isEmpty()) {
            return problem.wrong();
        }
        var grant = Grant.of(latest.chain());
        if (grant.revokedAt() != null) {
            return "The key was revoked at %s.".formatted(grant.revokedAt());
        } else if (grant.isOver(now)) {
            return "The key expired at %s.".formatted(grant.expiresAt());
        }
        return latest.rotatedAt() == null
                ? "The key has this id, but another secret."
                : "The key has this id, but another secret: it was rotated at %s.".formatted(latest.rotatedAt());
    }

    private static String fine(StoredHandshake kept) {
        var version = kept.protocolVersion();
        return kept.era().equals(Era.SESSION)
                        && version != null
                        && ProtocolRevision.find(version).isEmpty()
                ? "It is connected. It asked for %s and was answered with %s; if it stopped there, update it."
                        .formatted(version, ProtocolRevision.negotiated(version).word())
                : "It is connected; there is nothing to do.";
    }

    private ClientConfiguration configuration(StoredHandshake kept, HandshakeProblem problem) {
        return McpClient.named(kept.clientName())
                .or(() -> McpClient.named(kept.userAgent()))
                .orElse(McpClient.GENERIC)
                .configuration(address(kept.toolset() == null ? "" : kept.toolset(), problem));
    }

    /** Keeps the client's selection in the address, unless the selection was what was wrong. */
    private McpAddress address(String limits, HandshakeProblem problem) {
        var isWrong = problem == HandshakeProblem.SELECTION || problem == HandshakeProblem.TOOLSET;
        var toolsets = TOOLSETS.matcher(limits);
        return new McpAddress(
                host,
                isWrong || !toolsets.find()
                        ? List.of()
                        : List.of(toolsets.group(1).toLowerCase(Locale.ROOT).split(",\\s*")),
                READ_ONLY.matcher(limits).find());
    }
}
