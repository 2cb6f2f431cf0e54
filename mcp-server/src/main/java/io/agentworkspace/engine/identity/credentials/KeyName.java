package io.agentworkspace.engine.identity.credentials;

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * The public id of the key in a refused request, which may not contain the whole key. It identifies whom the refusal
 * concerns.
 */
public final class KeyName {
    private static final Pattern NAMED =
            Pattern.compile("(?<![0-9A-Za-z])e[ak]_([0-9A-Za-z]{%d})(?![0-9A-Za-z])".formatted(KeyFormat.ID));
    private static final int LONGEST = 1_000;

    private KeyName() {}

    /** Returns the id from the headers for keys, else from the query, where keys do not belong. */
    public static Optional<String> of(Request request) {
        var query = request.getHttpURI().getQuery();
        return request.getHeaders().stream()
                .filter(KeyName::mayHold)
                .map(field -> Objects.requireNonNullElse(field.getValue(), ""))
                .flatMap(value -> in(value).stream())
                .findFirst()
                .or(() -> query == null ? Optional.empty() : in(query));
    }

    private static boolean mayHold(HttpField field) {
        return field.is(Credentials.API_KEY) || field.is(HttpHeader.AUTHORIZATION.asString());
    }

    private static Optional<String> in(String text) {
        var named = NAMED.matcher(text.substring(0, Math.min(LONGEST, text.length())));
        return named.find() ? Optional.of(named.group(1)) : Optional.empty();
    }
}
