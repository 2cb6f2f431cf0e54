package io.agentworkspace.engine.integrations.upstreams.accounts;

import static io.agentworkspace.engine.integrations.upstreams.accounts.ProviderHttp.failed;

import io.agentworkspace.engine.integrations.upstreams.client.UpstreamFailure;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Requests and revokes tokens. */
record TokenEndpoint(ProviderHttp http) {
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]{1,8000}");
    private static final Pattern ERROR = Pattern.compile("[a-z_]{1,40}");
    private static final Duration MARGIN = Duration.ofSeconds(30);

    /**
     * Tokens that were issued.
     *
     * @param refresh null if there is no new one
     * @param life after which the access token is renewed; null if nobody says how long it is valid
     */
    record Issued(
            String access,
            @Nullable String refresh,
            @Nullable Duration life) {
        /** Returns when the access token has to be renewed; null if nobody knows. */
        @Nullable
        Instant renewAt(Instant now) {
            return life == null ? null : now.plus(life);
        }

        @Override
        public String toString() {
            return "issued tokens";
        }
    }

    /** The authorization server refused a request for tokens. */
    static final class Refused extends Exception {
        private final String error;

        Refused(String error) {
            super(error);
            this.error = error;
        }

        /** Returns its reason, a word of RFC 6749; or empty. */
        String error() {
            return error;
        }
    }

    Issued redeem(URI token, ProviderClient client, String code, String redirect, String verifier, String resource)
            throws Refused, InterruptedException {
        var form = new LinkedHashMap<String, String>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", redirect);
        form.put("code_verifier", verifier);
        form.put("resource", resource);
        return issued(token, client, form);
    }

    Issued renew(Grant grant) throws Refused, InterruptedException {
        var form = new LinkedHashMap<String, String>();
        form.put("grant_type", "refresh_token");
        form.put("refresh_token", String.valueOf(grant.refresh()));
        form.put("resource", grant.resource());
        return issued(http.parse("token_endpoint", grant.token()), grant.client(), form);
    }

    /** @throws UpstreamFailure if there is no answer, or one that is none of OAuth */
    private Issued issued(URI token, ProviderClient client, Map<String, String> form)
            throws Refused, InterruptedException {
        var headers = client.authenticate(form);
        var answer = http.post(token, headers, ProviderHttp.FORM, ProviderHttp.form(form));
        var json = answer.json();
        if (answer.isDone() && json.isPresent()) {
            return read(json.get());
        }
        var error = json.map(body -> body.path("error").asString("")).orElse("");
        if (answer.status() >= HttpStatus.BAD_REQUEST_400
                && answer.status() < HttpStatus.INTERNAL_SERVER_ERROR_500
                && ERROR.matcher(error).matches()) {
            throw new Refused(error);
        }
        throw failed("its token endpoint answered %d without tokens".formatted(answer.status()));
    }

    private static Issued read(ObjectNode body) {
        var access = text(body.path("access_token"));
        if (access.isEmpty() || !body.path("token_type").asString("Bearer").equalsIgnoreCase("Bearer")) {
            throw failed("its token endpoint issued no token of the type Bearer");
        }
        var seconds = body.path("expires_in").asLong(0);
        return new Issued(
                access.get(),
                text(body.path("refresh_token")).orElse(null),
                seconds <= 0 ? null : life(Duration.ofSeconds(Math.min(seconds, Integer.MAX_VALUE))));
    }

    /** A token is renewed a little before it expires. */
    private static Duration life(Duration whole) {
        var quarter = whole.dividedBy(4);
        return whole.minus(quarter.compareTo(MARGIN) < 0 ? quarter : MARGIN);
    }

    private static Optional<String> text(JsonNode token) {
        return token.isString() && TOKEN.matcher(token.asString()).matches()
                ? Optional.of(token.asString())
                : Optional.empty();
    }

    /** Revokes the tokens (RFC 7009). Returns whether the authorization server confirmed that. */
    boolean revoke(Grant grant) throws InterruptedException {
        if (grant.revoke() == null) {
            return false;
        }
        var form = new LinkedHashMap<String, String>();
        form.put("token", grant.refresh() == null ? grant.access() : grant.refresh());
        form.put("token_type_hint", grant.refresh() == null ? "access_token" : "refresh_token");
        var headers = grant.client().authenticate(form);
        try {
            return http.post(
                            http.parse("revocation_endpoint", grant.revoke()),
                            headers,
                            ProviderHttp.FORM,
                            ProviderHttp.form(form))
                    .isDone();
        } catch (UpstreamFailure e) {
            return false;
        }
    }
}
