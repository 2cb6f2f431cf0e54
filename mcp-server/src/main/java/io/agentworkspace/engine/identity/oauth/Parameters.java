package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.kernel.http.BodyReader;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.StorableInput;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.UrlEncoded;
import org.jspecify.annotations.Nullable;

/** The parameters of a request, each of which may be sent once (RFC 6749, section 3.1). */
record Parameters(Fields fields) {
    private static final String FORM = "application/x-www-form-urlencoded";

    static Parameters ofQuery(Request request) {
        try {
            return new Parameters(Request.extractQueryParameters(request));
        } catch (RuntimeException e) {
            throw OAuthError.request("the query is not UTF-8 in percent-encoding");
        }
    }

    static Parameters ofForm(Request request) {
        var type = String.valueOf(request.getHeaders().get(HttpHeader.CONTENT_TYPE));
        if (!type.split(";", 2)[0].strip().equalsIgnoreCase(FORM)) {
            throw OAuthError.request("the body must be of the type " + FORM);
        }
        var fields = new Fields();
        try {
            UrlEncoded.decodeUtf8To(new String(BodyReader.read(request), StandardCharsets.UTF_8), fields);
        } catch (IllegalArgumentException e) {
            throw OAuthError.request("the body is not UTF-8 in percent-encoding");
        }
        return new Parameters(fields);
    }

    boolean isEmpty() {
        return fields.isEmpty();
    }

    /** Returns the value; null if there is none. An empty one counts as none. */
    @Nullable
    String find(String name) {
        var values = fields.getValuesOrEmpty(name);
        if (values.size() > 1) {
            throw OAuthError.request("%s was sent %d times; send it once".formatted(name, values.size()));
        }
        if (values.isEmpty() || values.getFirst().isEmpty()) {
            return null;
        }
        try {
            StorableInput.check(name, values.getFirst());
        } catch (Problem unstorable) {
            throw OAuthError.request(String.valueOf(unstorable.getMessage()));
        }
        return values.getFirst();
    }

    String read(String name) {
        var value = find(name);
        if (value == null) {
            throw OAuthError.request(name + " is missing");
        }
        return value;
    }
}
