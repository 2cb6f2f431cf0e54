package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Caller;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates and reads session ids. */
public final class SessionIds {
    private static final int NONCE = 16;
    private static final int MAX_NAME = 100;

    /** Among the abilities: the client shows the pages of apps. */
    private static final String APPS = "apps";

    private final StateSigner signer;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    public SessionIds(StateSigner signer, Clock clock) {
        this.signer = signer;
        this.clock = clock;
    }

    /** Creates the id of a new session of this caller. */
    String begin(Caller caller, ClientInfo client, @Nullable String clientName) {
        var nonce = new byte[NONCE];
        random.nextBytes(nonce);
        var apps = client.showsApps() ? Stream.of(APPS) : Stream.<String>empty();
        var abilities = Stream.concat(client.abilities().stream().map(ClientInfo.Ability::word), apps)
                .sorted()
                .collect(Collectors.joining(","));
        var content = String.join(
                " ",
                client.revision().word(),
                Long.toString(clock.instant().getEpochSecond(), Character.MAX_RADIX),
                Base64.getUrlEncoder().withoutPadding().encodeToString(nonce),
                abilities,
                URLEncoder.encode(clientName == null ? "" : Excerpt.cut(clientName, MAX_NAME), StandardCharsets.UTF_8));
        return signer.seal(bound(caller), content.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Returns the session with this id if it belongs to the caller and has not expired. The store knows whether it was ended.
     */
    Optional<McpSession> find(String id, Caller caller) {
        return signer.open(bound(caller), id)
                .map(content -> read(new String(content, StandardCharsets.US_ASCII), caller))
                .filter(session -> clock.instant().isBefore(session.handle().expiresAt()));
    }

    private static McpSession read(String content, Caller caller) {
        var parts = content.split(" ", -1);
        var start = Instant.ofEpochSecond(Long.parseLong(parts[1], Character.MAX_RADIX));
        var handle = new SessionStore.Handle(caller.tenant(), parts[2], start.plus(SealKeys.REIGN));
        var revision = ProtocolRevision.find(parts[0]).orElse(ProtocolRevision.NOVEMBER_2025);
        var name = parts.length > 4 ? URLDecoder.decode(parts[4], StandardCharsets.UTF_8) : "";
        return new McpSession(
                handle,
                new ClientInfo(revision, abilities(parts[3]), extensions(parts[3])),
                name.isEmpty() ? null : name);
    }

    private static Set<ClientInfo.Ability> abilities(String words) {
        return Arrays.stream(ClientInfo.Ability.values())
                .filter(ability -> Arrays.asList(words.split(",")).contains(ability.word()))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static Set<String> extensions(String words) {
        return Arrays.asList(words.split(",")).contains(APPS) ? Set.of(ClientInfo.APPS) : Set.of();
    }

    private static String bound(Caller caller) {
        return "session\n%d\n%s".formatted(caller.tenant(), caller.principal());
    }
}
