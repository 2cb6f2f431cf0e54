package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.wire.A2aError;
import io.agentworkspace.engine.a2a.wire.A2aError.Kind;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** What both bindings check of a request before they read it. */
final class Bodies {
    private static final String VERSION = "A2A-Version";
    private static final Pattern SUPPORTED = Pattern.compile("1\\.0(\\.\\d+)?");

    private Bodies() {}

    /** Refuses another version than 1.0. A client that names none has 0.3 (specification, section 3.6). */
    static void checkVersion(Request request) {
        var header = request.getHeaders().get(VERSION);
        var named = header == null ? Request.extractQueryParameters(request).getValue(VERSION) : header;
        var version = named == null || named.isBlank() ? "0.3" : named.strip();
        if (!SUPPORTED.matcher(version).matches()) {
            throw A2aError.of(
                    Kind.VERSION_NOT_SUPPORTED,
                    "this agent speaks A2A 1.0: send the header A2A-Version: 1.0%s"
                            .formatted(version.equals("0.3") ? "; without it, 0.3 is meant" : ""));
        }
    }

    static void checkType(Request request, String... types) {
        var sent = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        var type = sent == null ? "" : sent.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (!List.of(types).contains(type)) {
            throw A2aError.of(
                    Kind.CONTENT_TYPE_NOT_SUPPORTED, "send the header Content-Type: " + String.join(" or ", types));
        }
    }

    static OptionalLong retryAfter(A2aError refused) {
        var problem = refused.problem();
        return problem == null ? OptionalLong.empty() : problem.retryAfterSeconds();
    }
}
