package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.model.problem.Name;
import io.jsonwebtoken.Claims;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A provider's data about a user who signs in for the first time.
 *
 * @param email empty if there is no verified address
 */
record ProviderProfile(String email, Name name) {
    private static final int LONGEST = 50;

    /** @param more claims from the userinfo endpoint */
    static ProviderProfile of(Claims claims, ObjectNode more) {
        var email = EmailClaim.of(claims, more);
        var name = Stream.of(
                        text(claims.get("preferred_username")),
                        more.path("preferred_username").asString(""),
                        email.text(),
                        text(claims.get("name")),
                        more.path("name").asString(""))
                .map(ProviderProfile::cleaned)
                .filter(one -> !one.isEmpty())
                .findFirst()
                .orElse("user");
        return new ProviderProfile(email.verified(), Name.of(name));
    }

    private static String text(@Nullable Object claim) {
        return claim instanceof String text ? text : "";
    }

    private static String cleaned(String text) {
        var plain = new StringBuilder();
        text.replaceFirst("@.*", "")
                .codePoints()
                .limit(LONGEST)
                .forEach(c -> plain.appendCodePoint(
                        Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '-' ? c : ' '));
        return plain.toString().strip().replaceAll(" +", " ");
    }

    /** Returns whether the verified address is in one of these domains. */
    boolean isOf(Set<String> domains) {
        var at = email.lastIndexOf('@');
        return at > 0
                && email.indexOf('@') == at
                && domains.contains(email.substring(at + 1).toLowerCase(Locale.ROOT));
    }
}
