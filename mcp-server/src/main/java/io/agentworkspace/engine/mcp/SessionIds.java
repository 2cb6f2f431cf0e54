package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Excerpt;
import io.agentworkspace.engine.store.SealKeys;
import io.agentworkspace.engine.store.SessionStore;
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
import org.jspecify.annotations.Nullable;

/** Makes and reads session ids. */
final class SessionIds {
    private static final int NONCE = 16;
    private static final int MAX_NAME = 100;

    private final Seal seal;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();

    SessionIds(Seal seal, Clock clock) {
        this.seal = seal;
        this.clock = clock;
    }

    /** The id of a new session of this caller. */
    String begin(Caller caller, Client client, @Nullable String clientName) {
        var nonce = new byte[NONCE];
        random.nextBytes(nonce);
        var abilities = client.abilities().stream()
                .map(Client.Ability::word)
                .sorted()
                .collect(Collectors.joining(","));
        var content = String.join(
                " ",
                client.revision().word(),
                Long.toString(clock.instant().getEpochSecond(), Character.MAX_RADIX),
                Base64.getUrlEncoder().withoutPadding().encodeToString(nonce),
                abilities,
                URLEncoder.encode(
                        clientName == null ? "" : Excerpt.cut(clientName, MAX_NAME), StandardCharsets.UTF_8));
        return seal.seal(bound(caller), content.getBytes(StandardCharsets.US_ASCII));
    }

    /** The session of this id, if it is this caller's and has not expired. Whether it was ended, the store tells. */
    Optional<Session> find(String id, Caller caller) {
        return seal.open(bound(caller), id)
                .map(content -> read(new String(content, StandardCharsets.US_ASCII), caller))
                .filter(session -> clock.instant().isBefore(session.handle().expiresAt()));
    }

    private static Session read(String content, Caller caller) {
        var parts = content.split(" ", -1);
        var begun = Instant.ofEpochSecond(Long.parseLong(parts[1], Character.MAX_RADIX));
        var handle = new SessionStore.Handle(caller.tenant(), parts[2], begun.plus(SealKeys.REIGN));
        var revision = Revision.find(parts[0]).orElse(Revision.NOVEMBER_2025);
        var name = parts.length > 4 ? URLDecoder.decode(parts[4], StandardCharsets.UTF_8) : "";
        return new Session(
                handle, new Client(revision, abilities(parts[3]), Set.of()), name.isEmpty() ? null : name);
    }

    private static Set<Client.Ability> abilities(String words) {
        return Arrays.stream(Client.Ability.values())
                .filter(ability -> Arrays.asList(words.split(",")).contains(ability.word()))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String bound(Caller caller) {
        return "session\n%d\n%s".formatted(caller.tenant(), caller.principal());
    }
}
