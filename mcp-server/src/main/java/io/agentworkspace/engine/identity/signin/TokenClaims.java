package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.credentials.UnverifiedToken;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.StorableText;
import io.jsonwebtoken.Identifiable;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The claims of an access token (RFC 9068), or of an assertion. They are checked before the signature, since that needs no request to the issuer.
 *
 * @param client the program that it was issued to; empty if not named
 * @param scopes those that are capabilities
 * @param subject its user at the issuer
 * @param email the e-mail address by which its {@code sub_id} names the user, too; null if it does not
 * @param resources the paths of the MCP endpoint that it is for, separated by spaces
 * @param proofKey the thumbprint of the key that it is bound to (RFC 9449, section 6.1); null for none
 */
record TokenClaims(
        String subject,
        @Nullable String email,
        String client,
        Set<String> scopes,
        String resources,
        Instant expiresAt,
        @Nullable String proofKey) {
    private static final Set<String> TYPES = Set.of("at+jwt", "application/at+jwt", "jwt", "");
    private static final Set<String> ASSERTIONS = Set.of("oauth-id-jag+jwt", "application/oauth-id-jag+jwt");
    private static final Set<String> ALGORITHMS =
            TokenJson.ALGORITHMS.stream().map(Identifiable::getId).collect(Collectors.toSet());
    private static final Set<String> WORDS = Stream.concat(
                    Arrays.stream(Capability.values()).map(Capability::word), Stream.of(Capability.ALL))
            .collect(Collectors.toUnmodifiableSet());
    private static final long LATEST = 253_402_300_799L;
    private static final int LONGEST_SUBJECT = 255;
    private static final Pattern THUMBPRINT = Pattern.compile("[A-Za-z0-9_-]{43}");

    TokenClaims {
        scopes = Collections.unmodifiableSet(new LinkedHashSet<>(scopes));
    }

    /** @throws Problem {@code unauthenticated}, with a note that names the defect */
    static TokenClaims checked(UnverifiedToken token, ProtectedResource resource, Instant now) {
        var claims = token.claims();
        check(token.header(), TYPES, "at+jwt or JWT: this is not an access token");
        check(claims, resource.issuer().toString());
        var resources = texts(claims.path("aud"))
                .flatMap(one -> resource.audience(one).stream())
                .distinct()
                .collect(Collectors.joining(" "));
        if (resources.isEmpty()) {
            throw invalid("its aud must contain %s: ask the issuer for a token for this resource"
                    .formatted(resource.address()));
        }
        return new TokenClaims(
                subject(claims),
                null,
                client(claims),
                scopes(claims),
                resources,
                expires(claims, now),
                proofKey(claims));
    }

    /**
     * Checks an assertion of a user for a client (ID-JAG, draft-ietf-oauth-identity-assertion-authz-grant, section 4.4).
     *
     * @param issuer one that is trusted
     * @throws Problem {@code unauthenticated}, with a note that names the defect
     */
    static TokenClaims asserted(
            UnverifiedToken token, String issuer, String client, ProtectedResource resource, Instant now) {
        var claims = token.claims();
        check(token.header(), ASSERTIONS, "oauth-id-jag+jwt: this is not an ID-JAG");
        check(claims, issuer);
        if (!texts(claims.path("aud")).toList().equals(List.of(resource.issuer().toString()))) {
            throw invalid("its aud must be %s alone".formatted(resource.issuer()));
        }
        if (!claims.path("client_id").asString("").equals(client)) {
            throw invalid("its client_id must be that of the client that presents it");
        }
        var paths = texts(claims.path("resource"))
                .flatMap(one -> resource.path(one).stream())
                .distinct()
                .collect(Collectors.joining(" "));
        if (paths.isEmpty()) {
            throw invalid("its resource must be %s, or contain it".formatted(resource.address()));
        }
        var user = user(claims);
        return new TokenClaims(
                user.subject(), user.email(), client, scopes(claims), paths, expires(claims, now), proofKey(claims));
    }

    /** A user of the issuer: by the subject, and perhaps by an e-mail address, too. */
    private record NamedUser(String subject, @Nullable String email) {}

    /**
     * Returns the user that an assertion names in {@code sub}, in {@code sub_id} (RFC 9493), or in both. An e-mail address alone names
     * nobody, since issuers reassign them.
     */
    private static NamedUser user(ObjectNode claims) {
        var structured = claims.path("sub_id");
        if (structured.isMissingNode()) {
            return new NamedUser(subject(claims), null);
        }
        var plain = claims.has("sub") ? subject(claims) : null;
        var format = text(structured, "format");
        var email = text(structured, "email");
        if (format.equals("email") && !email.isBlank()) {
            var said = claims.path("email");
            if (!said.isMissingNode() && !said.asString("").equalsIgnoreCase(email)) {
                throw different("email");
            }
            if (plain == null) {
                throw invalid("its sub_id is an e-mail address, which does not prove who a user is: send sub, too");
            }
            return new NamedUser(plain, email);
        }
        var subject = switch (format) {
            case "iss_sub" -> text(structured, "iss").equals(text(claims, "iss")) ? text(structured, "sub") : "";
            case "opaque" -> text(structured, "id");
            default -> "";
        };
        if (subject.isEmpty()) {
            throw invalid("its sub_id must have the format iss_sub with its own iss, opaque or email (RFC 9493)");
        }
        if (plain != null && !plain.equals(subject)) {
            throw different("sub");
        }
        return new NamedUser(checked(subject, claims), null);
    }

    private static String text(JsonNode object, String name) {
        var value = object.path(name);
        return value.isString() ? value.asString() : "";
    }

    /** Returns the key that a token is bound to; null for none. */
    private static @Nullable String proofKey(ObjectNode claims) {
        if (!claims.has("cnf")) {
            return null;
        }
        var bound = claims.path("cnf");
        var thumbprint = text(bound, "jkt");
        if (bound.size() != 1 || !THUMBPRINT.matcher(thumbprint).matches()) {
            throw invalid(
                    "it is bound to its holder in a way that is not supported here: its cnf must have jkt (DPoP) alone");
        }
        return thumbprint;
    }

    private static void check(ObjectNode header, Set<String> types, String right) {
        if (!ALGORITHMS.contains(header.path("alg").asString(""))) {
            throw invalid("its alg must be one of "
                    + String.join(", ", ALGORITHMS.stream().sorted().toList()));
        }
        if (!types.contains(header.path("typ").asString("").toLowerCase(Locale.ROOT))) {
            throw invalid("its typ must be " + right);
        }
        if (header.has("crit") || header.has("zip")) {
            throw invalid("its header requires extensions that are not supported here (crit, zip)");
        }
    }

    private static void check(ObjectNode claims, String issuer) {
        if (!claims.path("iss").asString("").equals(issuer)) {
            throw invalid("its iss must be " + issuer);
        }
    }

    private static String subject(ObjectNode claims) {
        return checked(claims.path("sub").asString(""), claims);
    }

    private static String checked(String subject, ObjectNode claims) {
        if (subject.isBlank() || subject.length() > LONGEST_SUBJECT) {
            throw invalid("its sub must identify its user, in at most %d characters".formatted(LONGEST_SUBJECT));
        }
        if (!StorableText.isStorable(subject)) {
            throw invalid("its sub must not contain NUL characters or unpaired surrogates");
        }
        if (subject.equals(client(claims))) {
            throw invalid("its sub is a program (client_id), not a person: programs use API keys");
        }
        return subject;
    }

    private static String client(ObjectNode claims) {
        return claims.path("client_id").asString(claims.path("azp").asString(""));
    }

    private static Instant expires(ObjectNode claims, Instant now) {
        var expires = time(claims, "exp");
        if (!now.isBefore(expires)) {
            throw invalid("it has expired");
        }
        if (time(claims, "iat").isAfter(now.plus(TokenJson.SKEW))
                || (claims.has("nbf") && time(claims, "nbf").isAfter(now.plus(TokenJson.SKEW)))) {
            throw invalid("it is not valid yet (iat, nbf)");
        }
        return expires;
    }

    private static Instant time(ObjectNode claims, String name) {
        var value = claims.path(name);
        var seconds = value.isNumber() ? value.asDouble() : -1;
        if (!(seconds >= 0 && seconds <= LATEST)) {
            throw invalid("its %s must be a time in seconds since 1970".formatted(name));
        }
        return Instant.ofEpochSecond((long) seconds);
    }

    /** Returns the scopes, which some issuers name {@code scp}. */
    private static Set<String> scopes(ObjectNode claims) {
        var scope = claims.has("scope") ? claims.path("scope") : claims.path("scp");
        return texts(scope)
                .flatMap(text -> List.of(text.split(" ")).stream())
                .filter(WORDS::contains)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Stream<String> texts(JsonNode value) {
        return value.isArray() ? value.valueStream().map(one -> one.asString("")) : Stream.of(value.asString(""));
    }

    /** @param claim which claim names another user than {@code sub_id} */
    static Problem different(String claim) {
        return invalid("its %s and its sub_id name different users".formatted(claim));
    }

    static Problem invalid(String why) {
        return Problem.unauthenticated("the token is not valid: %s".formatted(why));
    }
}
