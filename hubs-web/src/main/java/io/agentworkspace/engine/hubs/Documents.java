package io.agentworkspace.engine.hubs;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The written documents of this version, in the order that the lists in {@code docs/README.md} name them. */
final class Documents {
    static final String ROOT = "/docs";
    static final String FILES = ROOT + "/files/";
    static final String DIAGRAMS = ROOT + "/diagrams/";

    private static final String CONTENTS = "docs/README.md";
    private static final String COMMANDS = "docs/commands.md";
    private static final String START = "README.md";

    /** What lies outside of {@code docs/} and is a page nevertheless. */
    private static final Map<String, String> OUTSIDE =
            Map.of(START, "quick-start", "CHANGELOG.md", "changes", "CONTRIBUTING.md", "contributing");

    private static final Pattern LINE = Pattern.compile("(?m)^## (?<group>.+)$|^- \\[(?<title>.+?)]\\((?<link>.+?)\\)");
    private static final Pattern PLAIN =
            Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*");

    private final Map<String, Document> pages = new LinkedHashMap<>();
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private final Map<String, String> commands = new LinkedHashMap<>();
    private final String baseUrl;

    /**
     * A page.
     *
     * @param source where it lies in the repository
     * @param title as lists show it
     * @param group of the pages that it stands with; empty for the first page
     * @param parent the address of the page that it is a part of
     */
    record Document(
            String source,
            String address,
            String title,
            String group,
            @Nullable String parent,
            String markdown) {}

    Documents(String baseUrl) {
        this.baseUrl = baseUrl;
        add(new Document(CONTENTS, ROOT, "Documentation", "", null, text(CONTENTS)));
        list(CONTENTS, null, "");
    }

    private void list(String source, @Nullable String parent, String around) {
        var group = around;
        for (var line : LINE.matcher(text(source)).results().toList()) {
            if (line.group("title") == null) {
                group = parent == null ? line.group("group") : around;
            } else {
                var of = resolved(source, line.group("link"));
                document(of, line.group("title").replace("`", ""), group, parent);
            }
        }
    }

    private void document(String source, String title, String group, @Nullable String parent) {
        var address = ROOT + "/" + word(source);
        if (source.equals(COMMANDS)) {
            chapters(title, group, address);
        } else {
            add(new Document(source, address, title, group, parent, markdown(source)));
        }
        if (source.endsWith("/README.md")) {
            list(source, address, group);
        }
    }

    private static String word(String source) {
        return OUTSIDE.getOrDefault(source, source.replaceAll("^docs/|/README\\.md$|\\.md$", ""));
    }

    private String markdown(String source) {
        return source.equals(START) ? start(text(START)) : text(source);
    }

    /** The README without its name and its list of documents, with the address of this service. */
    private String start(String readme) {
        return readme.replaceFirst("# .*\n", "# Quick start\n")
                .replaceFirst("(?s)\n## More\n.*", "\n")
                .replace("http://127.0.0.1:8080", baseUrl);
    }

    /** The commands are too many for one page: each family has its own. */
    private void chapters(String title, String group, String address) {
        var chapters = DocChapter.of(text(COMMANDS), address);
        var overview = chapters.getFirst();
        add(new Document(COMMANDS, address, title, group, null, overview.markdown()));
        chapters.stream().skip(1).forEach(chapter -> {
            var of = address + "/" + chapter.word();
            chapter.anchors().forEach(anchor -> commands.put(anchor, of));
            add(new Document(COMMANDS + "/" + chapter.word(), of, chapter.title(), group, address, chapter.markdown()));
        });
    }

    private void add(Document document) {
        pages.put(document.address(), document);
        addresses.put(document.source(), document.address());
    }

    /** In order, the first page first. */
    List<Document> all() {
        return new ArrayList<>(pages.values());
    }

    Optional<Document> find(String address) {
        return Optional.ofNullable(pages.get(address));
    }

    /** Where a link in a document leads here: to a page, or to a file of the repository that is shown as it is. */
    Optional<String> address(Document from, String link) {
        var hash = link.indexOf('#');
        var fragment = hash < 0 ? "" : link.substring(hash);
        var path = hash < 0 ? link : link.substring(0, hash);
        var chapter = from.source().startsWith(COMMANDS) && path.isEmpty() || path.endsWith("commands.md")
                ? commands.get(fragment.replace("#", ""))
                : null;
        if (chapter != null) {
            return Optional.of(chapter + fragment);
        } else if (path.isEmpty()) {
            return Optional.of(fragment);
        }
        var source = resolved(from.source(), path);
        if (diagram("/" + source).isPresent()) {
            return Optional.of("/" + source);
        }
        var page = addresses.getOrDefault(source, addresses.get(source + "/README.md"));
        return page != null ? Optional.of(page + fragment) : file(source).map(_ -> FILES + source + fragment);
    }

    /** The SVG file of a diagram at its address. */
    static Optional<byte[]> diagram(String address) {
        return address.startsWith(DIAGRAMS)
                        && address.endsWith(".svg")
                        && PLAIN.matcher(address.substring(1)).matches()
                ? Assets.resource(address)
                : Optional.empty();
    }

    private static String resolved(String from, String link) {
        return Path.of(from).resolveSibling(link).normalize().toString();
    }

    /** A text file of the repository that documents speak of, such as an example. */
    static Optional<String> file(String path) {
        return PLAIN.matcher(path).matches()
                ? Assets.resource("/repository/" + path).map(Documents::decoded)
                : Optional.empty();
    }

    private static String text(String source) {
        return decoded(Assets.bytes(source.startsWith("docs/") ? "/" + source : "/repository/" + source));
    }

    private static String decoded(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
