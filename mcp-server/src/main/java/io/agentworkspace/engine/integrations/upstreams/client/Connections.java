package io.agentworkspace.engine.integrations.upstreams.client;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import io.agentworkspace.engine.identity.credentials.AssertionClaims;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure.Kind;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Progress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The clients of upstream servers. Each user has sessions of their own, since a session can hold state. */
public final class Connections implements AutoCloseable {
    private static final int MOST = 5_000;

    /** How many streams of announcements one address may keep open, of the 512 connections to it. Calls need the others. */
    private static final int MOST_STREAMS = 200;

    private static final Duration UNUSED = Duration.ofMinutes(15);

    private final VettedClient http;
    private final SubjectTokens subjects;
    private final UserTokens accounts;
    private final Clock clock;
    private final OpenCalls open = new OpenCalls();
    private final Cache<Place, UpstreamClient> clients = Caffeine.newBuilder()
            .maximumSize(MOST)
            .expireAfterAccess(UNUSED)
            .scheduler(Scheduler.systemScheduler())
            .removalListener(Connections::closed)
            .build();
    /** The places for streams of each address, as long as clients use it. */
    private final Cache<String, Semaphore> streams =
            Caffeine.newBuilder().weakValues().build();

    private volatile BiFunction<Target, Caller, Announcements> announcements = (_, _) -> Announcements.NONE;

    /**
     * A server that answered.
     *
     * @param capabilities what it says that it has
     */
    public record Probed(UpstreamClient client, JsonNode capabilities) {}

    /** A server as it was written last. */
    private record Written(String name, Instant installed, long revision, boolean hasAccounts) {}

    private record Place(long tenant, Written written, long user) {}

    /**
     * @param subjects assert who the calling user is, where a server's credential is exchanged for that
     * @param accounts of users at servers
     */
    public Connections(VettedClient http, SubjectTokens subjects, UserTokens accounts, Clock clock) {
        this.http = http;
        this.subjects = subjects;
        this.accounts = accounts;
        this.clock = clock;
    }

    private static void closed(@Nullable Place place, @Nullable UpstreamClient client, RemovalCause cause) {
        if (client != null) {
            client.close();
        }
    }

    /** @param receivers return what receives the announcements of a server to the client of a caller's user */
    public void announceTo(BiFunction<Target, Caller, Announcements> receivers) {
        announcements = receivers;
    }

    /** Returns the call of this replica that waits under this state, or has ended while it did. */
    public Optional<OpenCall> open(CallOwner owner, @Nullable String state) {
        return Optional.ofNullable(state).flatMap(each -> open.find(owner, each));
    }

    /**
     * Goes on with such a call.
     *
     * @throws UpstreamFailure if no such call waits, or it has failed
     */
    public ObjectNode resume(CallOwner owner, String state, JsonNode answers, Progress progress) {
        return open.resume(owner, state, answers, progress);
    }

    /** @throws io.agentworkspace.engine.model.problem.Problem if the URL is not allowed */
    public URI parse(String url) {
        return http.parse(url);
    }

    /** Returns whether the server has no sessions. */
    public static boolean isStateless(Target target) {
        return ProtocolRevision.MODERN.word().equals(target.era());
    }

    /** Returns a text as a mirrored header carries it. */
    public static String header(String text) {
        return RpcAnswer.header(text);
    }

    /** Returns the client for calls of this caller's user. */
    public UpstreamClient client(Target target, Caller caller) {
        return Objects.requireNonNull(clients.get(place(target, caller), _ -> of(target, caller)));
    }

    /** Ends what {@link UpstreamClient#follow} began, if there is still such a client. */
    public void unfollow(Target target, Caller caller) {
        Optional.ofNullable(clients.getIfPresent(place(target, caller))).ifPresent(UpstreamClient::unfollow);
    }

    /** Closes the clients of a tenant's other servers, and of these as they were written before. Calls that run go on. */
    public void keepOnly(long tenant, Collection<Target> servers) {
        var kept = servers.stream().map(Connections::written).collect(Collectors.toSet());
        clients.asMap().keySet().removeIf(place -> place.tenant() == tenant && !kept.contains(place.written()));
    }

    /** Closes the client of a user, whose account at the server is another now. */
    public void forget(long tenant, String upstream, long user) {
        clients.asMap()
                .keySet()
                .removeIf(place -> place.tenant() == tenant
                        && place.user() == user
                        && place.written().name().equals(upstream));
    }

    /** Closes the clients of all users' accounts, of which any may be another now. */
    public void forgetAccounts() {
        clients.asMap().keySet().removeIf(place -> place.written().hasAccounts());
    }

    public static CallOwner owner(Target target, Caller caller) {
        return new CallOwner(target.tenant(), target.name(), caller.user());
    }

    private static Written written(Target target) {
        return new Written(
                target.name(),
                target.installed(),
                target.revision(),
                target.credential().hasAccounts());
    }

    private static Place place(Target target, Caller caller) {
        return new Place(target.tenant(), written(target), caller.user());
    }

    private UpstreamClient of(Target target, Caller caller) {
        return isStateless(target)
                ? new ModernClient(channel(target, caller, true), announcements.apply(target, caller))
                : new SessionClient(
                        channel(target, caller, false),
                        owner(target, caller),
                        open,
                        announcements.apply(target, caller));
    }

    /**
     * Connects to a server, and finds out which era of the protocol it speaks.
     *
     * @throws UpstreamFailure if it speaks neither
     */
    public Probed probe(Target target, Caller caller) {
        var modern = new ModernClient(channel(target, caller, true), Announcements.NONE);
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
        var channel = channel(target, caller, false);
        var session = new SessionClient(channel, owner(target, caller), open, Announcements.NONE);
        try {
            return new Probed(session, session.connect(target.limit()));
        } catch (UpstreamFailure e) {
            if (e.kind() == Kind.PROTOCOL) {
                channel.checkTransport(target.limit());
            }
            throw e;
        }
    }

    private McpChannel channel(Target target, Caller caller, boolean readsNotFound) {
        var places = streams.get(String.valueOf(target.url().getAuthority()), _ -> new Semaphore(MOST_STREAMS));
        return new McpChannel(
                http, target.url(), source(target, caller), Objects.requireNonNull(places), readsNotFound);
    }

    private CredentialSource source(Target target, Caller caller) {
        return switch (target.credential().kind()) {
            case UpstreamCredential.HEADER -> {
                var header = Objects.requireNonNullElse(target.credential().header(), "Authorization");
                yield _ -> Map.of(header, target.secret().get());
            }
            case UpstreamCredential.CLIENT_CREDENTIALS, UpstreamCredential.TOKEN_EXCHANGE, UpstreamCredential.ID_JAG ->
                new OAuthCredential(http, target, () -> subjects.of(caller, claims(target)), clock);
            case UpstreamCredential.USER_OAUTH -> new AccountCredential(accounts, target, caller.user());
            default -> CredentialSource.NONE;
        };
    }

    private static AssertionClaims claims(Target target) {
        var credential = target.credential();
        return credential.kind().equals(UpstreamCredential.ID_JAG)
                ? new AssertionClaims(
                        String.valueOf(credential.audience()),
                        new AssertionClaims.Grant(
                                String.valueOf(credential.clientId()),
                                target.url().toString(),
                                credential.scope()))
                : new AssertionClaims(String.valueOf(credential.tokenUrl()), null);
    }

    /** Ends the streams of servers. */
    @Override
    public void close() {
        clients.invalidateAll();
    }
}
