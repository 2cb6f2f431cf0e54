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
 * @param path as it was asked for, decoded
 * @param query the values that each name has in the query, decoded
 * @param caller who is signed in, or null
 * @param requestId under which it is logged
 */
public record PageRequest(
        String path,
        Map<String, List<String>> query,
        @Nullable Caller caller,
        String requestId) {
    /** The same address, as it stands in a link, without the slashes at its end. */
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

    /** What follows a prefix; null where it does not begin so. */
    @Nullable
    String after(String prefix) {
        return path.startsWith(prefix) ? path.substring(prefix.length()) : null;
    }
}
