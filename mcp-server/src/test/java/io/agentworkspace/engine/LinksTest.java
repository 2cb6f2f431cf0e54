package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every page that can be reached from the first one, and every link on each. */
class LinksTest {
    private static final Pattern LINK = Pattern.compile("<[^>]*\\s(?:href|src|action)=\"([^\"]*)\"");
    private static final Pattern ID = Pattern.compile("<[^>]*\\sid=\"([^\"]*)\"");

    /** Mail, and programs on the visitor's own machine. */
    private static final Set<String> OTHERS = Set.of("mailto", "cursor", "vscode");

    private static final URI SERVER = URI.create(TestServer.url());

    /** The pages by path. Choices in the query make too many pages to follow all. */
    private static final Map<String, HttpResponse<String>> ANSWERS = new LinkedHashMap<>();

    private static final List<Link> LINKS = new ArrayList<>();

    private record Link(String from, URI to) {
        @Override
        public String toString() {
            return from + " → " + to;
        }

        private boolean isInternal() {
            return to.getAuthority().equals(SERVER.getAuthority());
        }
    }

    @BeforeAll
    static void crawl() throws Exception {
        try (var http = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build()) {
            var waiting = new ArrayDeque<>(List.of("/"));
            var seen = new LinkedHashSet<>(waiting);
            while (!waiting.isEmpty()) {
                var path = waiting.remove();
                var request = HttpRequest.newBuilder(SERVER.resolve(path)).build();
                var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
                ANSWERS.put(path, answer);
                for (var link : isPage(answer) ? links(path, answer) : List.<Link>of()) {
                    LINKS.add(link);
                    if (link.isInternal() && seen.add(link.to().getRawPath())) {
                        waiting.add(link.to().getRawPath());
                    }
                }
            }
        }
    }

    private static boolean isPage(HttpResponse<String> answer) {
        return answer.headers()
                .firstValue("Content-Type")
                .filter(type -> type.startsWith("text/html"))
                .isPresent();
    }

    private static List<Link> links(String path, HttpResponse<String> answer) {
        return LINK.matcher(answer.body())
                .results()
                .map(found -> unescaped(found.group(1)))
                // URI.resolve drops the last part of the path before a query (RFC 2396), and browsers keep it (RFC
                // 3986).
                .map(link -> link.startsWith("?") ? answer.uri().getRawPath() + link : link)
                .map(link -> new Link(path, answer.uri().resolve(link)))
                .filter(link -> !OTHERS.contains(link.to().getScheme()))
                .toList();
    }

    private static String unescaped(String attribute) {
        return attribute
                .replace("&#x3D;", "=")
                .replace("&#39;", "'")
                .replace("&#x60;", "`")
                .replace("&quot;", "\"")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
    }

    private static List<String> ids(String body) {
        return ID.matcher(body)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    @Test
    void everyLinkOnThisServerIsAnswered() {
        assertThat(ANSWERS).hasSizeGreaterThan(50);
        assertThat(LINKS.stream()
                        .filter(Link::isInternal)
                        .filter(link -> ANSWERS.get(link.to().getRawPath()).statusCode() != 200))
                .isEmpty();
    }

    @Test
    void everyPlaceThatALinkLeadsToIsThere() {
        assertThat(LINKS.stream()
                        .filter(link -> link.isInternal() && link.to().getFragment() != null)
                        .filter(link -> !ids(ANSWERS.get(link.to().getRawPath()).body())
                                .contains(link.to().getFragment())))
                .isEmpty();
    }

    /** A document's link without a target here is rendered as plain text. */
    @Test
    void noLinkOfADocumentIsLeftOut() {
        assertThat(ANSWERS.keySet().stream()
                        .filter(path -> path.startsWith("/docs"))
                        .filter(path -> ANSWERS.get(path).body().contains("class=\"unlinked\"")))
                .isEmpty();
    }

    @Test
    void noPageHasAnIdTwice() {
        ANSWERS.forEach((path, answer) -> {
            if (isPage(answer)) {
                assertThat(ids(answer.body())).as(path).doesNotHaveDuplicates();
            }
        });
    }

    @Test
    void linksThatLeadElsewhereDoSoSecurely() {
        assertThat(LINKS.stream()
                        .filter(link -> !link.isInternal())
                        .filter(link -> !link.to().getScheme().equals("https")
                                || !link.to().getHost().contains(".")))
                .isEmpty();
    }

    /** All documents exist, and the lists contain all of them. */
    @Test
    void everyDocumentIsAPage() {
        Set<String> paths = ANSWERS.keySet();
        assertThat(Repository.files("docs", ".md").stream()
                        .map(file -> "/"
                                + Repository.ROOT.relativize(file).toString().replaceAll("(/README)?\\.md$", "")))
                .isNotEmpty()
                .allMatch(paths::contains);
    }
}
