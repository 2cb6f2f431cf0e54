package io.agentworkspace.engine.identity.signin;

import static io.agentworkspace.engine.identity.signin.Browser.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The e-mail addresses by which users who have signed in with a provider are found. */
@Tag("slow")
class OAuthAddressTest extends OAuthFixture {
    /** Returns the user for whom the owner acts with this name, through both endpoints; empty if none is found. */
    private static String found(Replica replica, String user) {
        var found = Arrays.stream(ClientApi.values())
                .map(api -> api.call(
                        replica.url(),
                        owner,
                        "US_Read",
                        Json.readObject(
                                "{\"target\":{\"user\":\"%s\"}}".formatted(user).getBytes(StandardCharsets.UTF_8))))
                .map(reply -> reply.code() == 3001 ? "" : reply.ok().text("/profile/0/user"))
                .distinct()
                .toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    void whoSignedInIsFoundByTheAddressThatTheProviderVerifiedLast() {
        var name = signIn(engine, "mover").get(SESSION).at("/user");
        assertThat(found(engine, "mover@example.org")).isEqualTo(name);
        assertThat(found(other, "Mover@EXAMPLE.org")).isEqualTo(name);
        signIn(other, "mover&email=Moved@example.org");
        assertThat(found(engine, "moved@example.org")).isEqualTo(name);
        assertThat(found(engine, "mover@example.org")).isEmpty();
        signIn(engine, "mover&email=moved@example.org@evil.example");
        assertThat(found(engine, "moved@example.org"))
                .as("an invalid address replaces the old one")
                .isEmpty();
    }

    @Test
    void anAddressThatIsNotVerifiedFindsNobody() {
        try (var open = Replica.start(settings("sample", Map.of("ENGINE_OAUTH_SAMPLE_EMAIL_DOMAINS", "")))) {
            var start = SignInStart.at(open, START);
            var back = back(open, provider.signIn(start.location(), "unverified"), start.cookie());
            assertThat(signedIn(open, back).get(SESSION).at("/user")).isEqualTo("unverified");
            assertThat(found(open, "unverified")).isEqualTo("unverified");
            assertThat(found(open, "unverified@example.org")).isEmpty();
        }
    }
}
