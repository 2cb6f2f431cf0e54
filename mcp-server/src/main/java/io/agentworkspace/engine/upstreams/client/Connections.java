package io.agentworkspace.engine.upstreams.client;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.mcp.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.upstream.UpstreamCredential;
import io.agentworkspace.engine.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.webhooks.sender.VettedClient;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.JsonNode;

/** The clients of upstream servers. Each user has sessions of their own, since a session can hold state. */
public final class Connections implements AutoCloseable {
    private static final int MOST = 5_000;
    private static final Duration UNUSED = Duration.ofMinutes(15);

    private final VettedClient http;
    private final Clock clock;
    private final Cache<Place, UpstreamClient> clients =
            Caffeine.newBuilder().maximumSize(MOST).expireAfterAccess(UNUSED).build();

    /**
     * A server that answered.
     *
     * @param capabilities what it says that it has
     */
    public record Probed(UpstreamClient client, JsonNode capabilities) {}

    private record Place(long tenant, String name, long revision, long user) {}

    public Connections(VettedClient http, Clock clock) {
        this.http = http;
        this.clock = clock;
    }

    /** @throws io.agentworkspace.engine.model.problem.Problem if the URL is not allowed */
    public URI parse(String url) {
        return http.parse(url);
    }

    /** Returns a text as a mirrored header carries it. */
    public static String header(String text) {
        return RpcAnswer.header(text);
    }

    /** Returns the client for calls of this user. */
    public UpstreamClient client(Target target, long user) {
        var place = new Place(target.tenant(), target.name(), target.revision(), user);
        return Objects.requireNonNull(clients.get(place, _ -> of(target)));
    }

    private UpstreamClient of(Target target) {
        return ProtocolRevision.MODERN.word().equals(target.era())
                ? new ModernClient(channel(target, true))
                : new SessionClient(channel(target, false));
    }

    /**
     * Connects to a server, and finds out which era of the protocol it speaks.
     *
     * @throws UpstreamFailure if it speaks neither
     */
    public Probed probe(Target target) {
        var modern = new ModernClient(channel(target, true));
        try {
            var discovered =
                    modern.request("server/discover", Json.object(), Map.of(), Progress.SILENT, target.limit());
            if (discovered
                    .path("supportedVersions")
                    .valueStream()
                    .anyMatch(version -> version.asString("").equals(modern.era()))) {
                return new Probed(modern, discovered.path("capabilities"));
            }
        } catch (UpstreamFailure e) {
            if (e.kind() == Kind.UNREACHABLE || e.kind() == Kind.CREDENTIAL || e.kind() == Kind.CANCELLED) {
                throw e;
            }
        }
        var session = new SessionClient(channel(target, false));
        return new Probed(session, session.connect(target.limit()));
    }

    private McpChannel channel(Target target, boolean readsNotFound) {
        return new McpChannel(http, target.url(), source(target), readsNotFound);
    }

    private CredentialSource source(Target target) {
        return switch (target.credential().kind()) {
            case UpstreamCredential.HEADER -> {
                var header = Objects.requireNonNullElse(target.credential().header(), "Authorization");
                yield _ -> Map.of(header, target.secret().get());
            }
            case UpstreamCredential.CLIENT_CREDENTIALS -> new ClientCredentials(http, target, clock);
            default -> CredentialSource.NONE;
        };
    }

    @Override
    public void close() {
        http.close();
    }
}
