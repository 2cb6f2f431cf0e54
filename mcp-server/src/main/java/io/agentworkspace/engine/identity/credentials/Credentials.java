package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** The credential that a request presents: read from its headers, refused in its query (decisions, section 7). */
public final class Credentials {
    static final String API_KEY = "X-Api-Key";
    private static final String COOKIE = SessionSecret.COOKIE + "=";
    private static final String BEARER = "Bearer";

    /** The scheme of a token that is bound to a key, and the header with the proof (RFC 9449). */
    public static final String PROOF = "DPoP";

    private static final Set<String> SECRET_PARAMETERS =
            Set.of("apikey", "xapikey", "key", "token", "accesstoken", "idtoken", "jwt", "session", "authorization");

    private static final String CODE = "code";

    /**
     * The parameters with which a browser is sent to an authorization server and back. Their form is the other party's, and
     * they are worthless alone.
     */
    private static final Set<String> OF_OTHERS = Set.of(CODE, "state");

    /** The parameter of a search, since a word of the documentation may begin like a key. */
    private static final String SEARCH = "q";

    private Credentials() {}

    /**
     * Returns the credential that the request presents, if any. A credential in a header takes precedence. The cookie
     * is read only without one, since browsers send cookies unasked.
     *
     * @throws Problem {@code bad_request} for several credentials, {@code unauthenticated} for a malformed one
     */
    public static Optional<Presented> presented(HttpFields headers) {
        var key = only(headers, API_KEY);
        var authorization = only(headers, HttpHeader.AUTHORIZATION.asString());
        if (authorization == null) {
            return key == null ? cookie(headers).map(SessionSecret::parse) : Optional.of(ApiKey.parse(key));
        }
        if (key != null && !key.equals(bearer(authorization))) {
            throw badRequest(
                    Cause.CREDENTIAL_AMBIGUOUS,
                    "X-Api-Key and Authorization carry different credentials; send one of them");
        }
        var token = readBearer(authorization);
        return Optional.of(key == null && AccessToken.looksLike(token) ? new AccessToken(token) : ApiKey.parse(token));
    }

    /** Returns whether the request has anything that could be a credential, valid or not. */
    public static boolean came(HttpFields headers) {
        return isNamed(headers) || cookie(headers).isPresent();
    }

    /** Returns whether a header has a credential, valid or not. */
    public static boolean isNamed(HttpFields headers) {
        return headers.contains(API_KEY) || headers.contains(HttpHeader.AUTHORIZATION);
    }

    /** Returns the session of the cookie, whatever other credentials there are; empty if the cookie is malformed. */
    public static Optional<SessionSecret> session(HttpFields headers) {
        try {
            return cookie(headers).map(SessionSecret::parse);
        } catch (Problem e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the cookie's value. If there are several with the name, their values are joined, which is never valid.
     */
    private static Optional<String> cookie(HttpFields headers) {
        var values = headers.getFields(HttpHeader.COOKIE).stream()
                .flatMap(field -> Arrays.stream(
                        Objects.requireNonNullElse(field.getValue(), "").split(";")))
                .map(String::strip)
                .filter(pair -> pair.startsWith(COOKIE))
                .map(pair -> pair.substring(COOKIE.length()))
                .toList();
        return values.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", values));
    }

    private static @Nullable String only(HttpFields headers, String name) {
        var fields = headers.getFields(name);
        if (fields.size() > 1) {
            throw badRequest(
                    Cause.CREDENTIAL_AMBIGUOUS,
                    "the header %s came %d times; send it once".formatted(name, fields.size()));
        }
        return fields.isEmpty()
                ? null
                : Objects.requireNonNullElse(fields.getFirst().getValue(), "");
    }

    private static String readBearer(String authorization) {
        var token = bearer(authorization);
        if (token != null) {
            return token;
        }
        throw Problem.unauthenticated(
                isScheme(authorization, "Basic")
                        ? "Basic authentication is not supported; send the API key in X-Api-Key or as Authorization: Bearer"
                        : "Authorization must be of the form: Bearer <API key or access token>");
    }

    /** Returns the token of a request that presents it with a proof of possession; empty for other schemes. */
    public static Optional<String> proven(HttpFields headers) {
        var authorization = headers.get(HttpHeader.AUTHORIZATION);
        return authorization != null && isScheme(authorization, PROOF)
                ? Optional.of(authorization.substring(PROOF.length()).strip())
                : Optional.empty();
    }

    /** Returns the scheme in which a request presents a token. */
    public static String scheme(HttpFields headers) {
        return proven(headers).isPresent() ? PROOF : BEARER;
    }

    private static @Nullable String bearer(String authorization) {
        var scheme = isScheme(authorization, PROOF) ? PROOF : BEARER;
        return isScheme(authorization, scheme)
                ? authorization.substring(scheme.length()).strip()
                : null;
    }

    private static boolean isScheme(String authorization, String scheme) {
        return authorization.regionMatches(true, 0, scheme, 0, scheme.length())
                && (authorization.length() == scheme.length() || authorization.charAt(scheme.length()) == ' ');
    }

    /** @throws Problem {@code bad_request} if the query string contains a credential, or a parameter named like one */
    public static void refuseInQuery(@Nullable String query) {
        if (query == null) {
            return;
        }
        for (var parameter : query.split("&")) {
            var equals = parameter.indexOf('=');
            var name = decoded(equals < 0 ? parameter : parameter.substring(0, equals));
            var value = decoded(equals < 0 ? "" : parameter.substring(equals + 1));
            if (isSecret(name)
                    || hasSecret(name)
                    || (name.equals(SEARCH) ? holdsSecret(value) : hasSecret(value) && !isCode(name, value))
                    || (AccessToken.isIn(value) && !OF_OTHERS.contains(name))) {
                throw badRequest(
                        Cause.CREDENTIAL_IN_QUERY,
                        "a credential does not belong in the query string, where it is stored and logged on its"
                                + " way: send it in the header X-Api-Key, and rotate this one");
            }
        }
    }

    /** Returns whether a browser comes back with a code from another engine's authorization server. */
    private static boolean isCode(String name, String value) {
        return name.equals(CODE) && KeyFormat.isAuthorizationCode(value);
    }

    private static boolean isSecret(String name) {
        return SECRET_PARAMETERS.contains(name.strip().toLowerCase(Locale.ROOT).replaceAll("[-_]", ""));
    }

    private static boolean hasSecret(String text) {
        return text.strip().startsWith(KeyFormat.PREFIX) || holdsSecret(text);
    }

    private static boolean holdsSecret(String text) {
        return KeyFormat.isIn(text) || SessionSecret.isIn(text);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private static Problem badRequest(Cause cause, String note) {
        return new Problem(Failure.BAD_REQUEST, note).because(cause);
    }
}
