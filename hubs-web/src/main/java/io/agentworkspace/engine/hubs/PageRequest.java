package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.tool.Caller;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A request for a page.
 *
 * @param path the requested path, decoded
 * @param query the values of each name in the query, decoded
 * @param caller the signed-in user, or null
 * @param requestId the request's id in the log
 */
public record PageRequest(
        String path,
        Map<String, List<String>> query,
        @Nullable Caller caller,
        String requestId) {
    /** Returns the path as written in links, without slashes at its end. */
    String withoutSlash() {
        var bare = path.replaceAll("/+$", "");
        var parameters = query.entrySet().stream()
                .flatMap(each -> each.getValue().stream().map(value -> encoded(each.getKey()) + "=" + encoded(value)))
                .collect(Collectors.joining("&"));
        var link = encoded(SkillLinks.decoded(bare)).replace("%2F", "/");
        return parameters.isEmpty() ? link : link + "?" + parameters;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns what follows a prefix; null if the path does not begin with it. */
    @Nullable
    String after(String prefix) {
        return path.startsWith(prefix) ? path.substring(prefix.length()) : null;
    }
}
