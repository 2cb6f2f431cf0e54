package io.agentworkspace.engine.identity.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.security.SecureRandom;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
    private static final String KEY = ApiKey.generate(new SecureRandom()).reveal();
    private static final String OTHER = ApiKey.generate(new SecureRandom()).reveal();

    @ParameterizedTest
    @ValueSource(strings = {"X-Api-Key", "X-API-KEY", "x-api-key"})
    void theHeaderIsReadInAnyCase(String name) {
        assertThat(presented(name, KEY)).isEqualTo(KEY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer ", "bearer ", "BEARER   "})
    void aBearerKeyIsRead(String scheme) {
        assertThat(presented("Authorization", scheme + KEY)).isEqualTo(KEY);
    }

    @Test
    void nothingPresentedIsNothing() {
        assertThat(Credentials.presented(HttpFields.EMPTY)).isEmpty();
    }

    @Test
    void theSameKeyTwiceIsFineAndTwoKeysAreNot() {
        assertThat(presented("X-Api-Key", KEY, "Authorization", "Bearer " + KEY))
                .isEqualTo(KEY);
        assertThat(refused("X-Api-Key", KEY, "Authorization", "Bearer " + OTHER).failure())
                .isEqualTo(Failure.BAD_REQUEST);
        assertThat(refused("X-Api-Key", KEY, "X-Api-Key", KEY).failure()).isEqualTo(Failure.BAD_REQUEST);
        assertThat(refused("Authorization", "Bearer " + KEY, "Authorization", "Bearer " + KEY)
                        .failure())
                .isEqualTo(Failure.BAD_REQUEST);
        assertThat(refused("X-Api-Key", KEY, "Authorization", "Basic YTpi").failure())
                .isEqualTo(Failure.BAD_REQUEST);
    }

    @Test
    void basicAndOtherSchemesAreNotSupported() {
        assertThat(refused("Authorization", "Basic YTpi").note()).contains("Basic authentication is not supported");
        assertThat(refused("Authorization", "Basic YTpi").failure()).isEqualTo(Failure.UNAUTHENTICATED);
        assertThat(refused("Authorization", "Digest x").note()).contains("Bearer");
        assertThat(refused("Authorization", KEY).note()).contains("Bearer");
        assertThat(refused("Authorization", "Bearer").failure()).isEqualTo(Failure.UNAUTHENTICATED);
        assertThat(refused("X-Api-Key", "").failure()).isEqualTo(Failure.UNAUTHENTICATED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "api_key=x",
                "API_KEY=x",
                "apikey=x",
                "apiKey",
                "x-api-key=",
                "X-Api-Key=1",
                "key=x",
                "token=x",
                "access_token=x",
                "ACCESS-TOKEN=x",
                "%6bey=x",
                "page=2&token=x",
                "a=ek_",
                "a=ek_anything",
                "a=%65k_anything",
                "a=+ek_x",
                "q=ek_0123456789ab_0123456789abcdef",
                "q=%zz&key=x",
                "jwt=x",
                "id_token=x",
                "session=x",
                "x=eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
                "x=Bearer%20eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"
            })
    void aQueryWithACredentialIsRefused(String query) {
        var problem = catchThrowableOfType(Problem.class, () -> Credentials.refuseInQuery(query));
        assertThat(problem.failure()).isEqualTo(Failure.BAD_REQUEST);
        assertThat(problem.note()).contains("X-Api-Key");
    }

    /** Another engine's authorization server sends a browser here with its code, which is worthless without the verifier. */
    @Test
    void anAuthorizationCodeIsNoCredentialWhereItBelongs() {
        var code = "ec_" + "0".repeat(48);
        assertThatCode(() -> Credentials.refuseInQuery("code=" + code + "&state=x"))
                .doesNotThrowAnyException();
        for (var query : List.of("x=" + code, "code=" + KEY, "code=er_" + "0".repeat(48))) {
            assertThatThrownBy(() -> Credentials.refuseInQuery(query)).isInstanceOf(Problem.class);
        }
    }

    @Test
    void aWholeKeyAsParameterNameIsRefused() {
        assertThat(catchThrowableOfType(Problem.class, () -> Credentials.refuseInQuery(KEY)))
                .isNotNull();
    }

    @Test
    void aKeyOrACookieAnywhereInAValueIsRefused() {
        var cookie = SessionSecret.generate(new SecureRandom()).reveal();
        for (var secret : List.of(KEY, cookie)) {
            for (var query : List.of("x=%s", "x=Bearer%%20%s", "x=a%%20%s", "x=a%%0A%s%%0Ab", "a=1&x=%%22%s%%22")) {
                assertThatThrownBy(() -> Credentials.refuseInQuery(query.formatted(secret)))
                        .isInstanceOf(Problem.class)
                        .hasMessageContaining("query string");
            }
        }
        var other = (cookie.startsWith("A") ? "B" : "A") + cookie.substring(1);
        assertThatCode(() -> Credentials.refuseInQuery("cursor=" + other)).doesNotThrowAnyException();
        for (var random : List.of("code=a" + KEY, "state=x-" + KEY, "cursor=_" + KEY)) {
            assertThatCode(() -> Credentials.refuseInQuery(random)).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "after=17",
                "code=eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
                "q=key.of.mine",
                "q=ek_",
                "q=+ek_abc",
                "monkey=x",
                "cursor=abc&limit=3",
                "name=week_one",
                "=",
                "&&",
                "%zz=%"
            })
    void otherQueriesPass(String query) {
        assertThatCode(() -> Credentials.refuseInQuery(query)).doesNotThrowAnyException();
    }

    private static String presented(String... headers) {
        return ((ApiKey) Credentials.presented(fields(headers)).orElseThrow()).reveal();
    }

    private static Problem refused(String... headers) {
        return catchThrowableOfType(Problem.class, () -> Credentials.presented(fields(headers)));
    }

    private static HttpFields fields(String... namesAndValues) {
        var fields = HttpFields.build();
        for (var i = 0; i < namesAndValues.length; i += 2) {
            fields.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }
}
