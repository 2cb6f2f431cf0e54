package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.mcp.PublicAddresses;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The console: the same page for all its addresses, without data. Its scripts read everything with the rights of the
 * signed-in user.
 */
final class ConsolePages {
    static final String ROOT = "/console";

    private final Templates templates;
    private final PublicAddresses published;
    private final Assets assets;

    ConsolePages(PublicAddresses published, Assets assets, Templates templates) {
        this.published = published;
        this.assets = assets;
        this.templates = templates;
    }

    /** The pages in the side navigation. The icon is an SVG path. */
    private enum Section {
        WORLD("World", "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18"),
        INBOX("Needs you", "M4 13l2.5-8h11L20 13v6H4zM4 13h5l1.5 2.5h3L15 13h5"),
        AGENTS("Agents", "M5 9h14v10H5zM12 9V5M12 5h.01M9 14h.01M15 14h.01M2 13v3M22 13v3"),
        SPACES("Spaces", "M4 5h16v11H9l-5 4z"),
        MEMORY("Memory", "M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0"),
        DOCUMENTS("Documents", "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6"),
        KEYS("Keys", "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM11 12l9-9M16 7l3 3"),
        WEBHOOKS("Webhooks", "M4 12h5M15 6h5M15 18h5M9 12l6-6M9 12l6 6"),
        UPSTREAMS("Upstreams", "M7 4v5a5 5 0 0 0 10 0V4M12 14v6M8 20h8M9 4v3M15 4v3"),
        RULES("Rules", "M12 3v18M5 21h14M4 7h16M4 7l-2 6h5zM20 7l-3 6h5z"),
        ACTIVITY("Activity", "M3 12h4l3-8 4 16 3-8h4"),
        SETTINGS("Settings", "M4 7h10M18 7h2M14 4v6M4 17h2M10 17h10M6 14v6");

        private final String title;
        private final String icon;

        Section(String title, String icon) {
            this.title = title;
            this.icon = icon;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record MenuItem(String word, String title, String icon, boolean current) {}

    private record ConsolePage(
            String title,
            String assets,
            String version,
            @Nullable String user,
            String baseUrl,
            String mcpUrl,
            List<String> preloads,
            List<MenuItem> pages) {}

    Optional<PageResponse> find(PageRequest request) {
        if (request.path().equals(ROOT)) {
            return Optional.of(PageResponse.redirect(ROOT + "/world"));
        }
        var below = request.after(ROOT + "/");
        if (below == null) {
            return Optional.empty();
        }
        var word = below.split("/", 2)[0];
        return Arrays.stream(Section.values())
                .filter(section -> section.word().equals(word))
                .findFirst()
                .map(section -> PageResponse.html(shell(section, request)));
    }

    /** Returns all scripts of a page, so that the browser requests them at once. */
    private List<String> modules(Section section) {
        return Stream.of("hub.js", "console/app.js", "console/%s.js".formatted(section.word()))
                .flatMap(name -> assets.modules(name).stream())
                .distinct()
                .toList();
    }

    private String shell(Section current, PageRequest request) {
        var pages = Arrays.stream(Section.values())
                .map(section -> new MenuItem(section.word(), section.title, section.icon, section == current))
                .toList();
        var user = request.caller() == null ? null : request.caller().userName();
        return templates.fill(
                "console",
                new ConsolePage(
                        current.title,
                        templates.assets(),
                        published.version(),
                        user,
                        published.baseUrl(),
                        published.mcpUrl(),
                        modules(current),
                        pages));
    }
}
