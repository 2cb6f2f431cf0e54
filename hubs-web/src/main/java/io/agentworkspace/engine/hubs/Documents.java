package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.markdown.Markdown;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The written documents of this version, in the order that the lists in {@code docs/README.md} name them. */
final class Documents {
    static final String ROOT = "/docs";
    static final String FILES = ROOT + "/files/";
    private static final Pattern PICTURE =
            Pattern.compile(ROOT + "/(diagrams/[a-z-]+\\.svg|pictures/[a-z-]+\\.(png|gif|svg))");

    /** The group of the pages for those who change the engine. */
    static final String FOR_CONTRIBUTORS = "Contribute";

    private static final String CONTENTS = "docs/README.md";
    private static final String COMMANDS = "docs/commands.md";
    private static final String START = "README.md";

    /** The commands of this page can be pasted, so it has the address of this service. */
    private static final String CALLS = "docs/calling.md";

    private static final String CHANGES = "CHANGELOG.md";

    /** Documents outside of {@code docs/} that are also pages. */
    private static final Map<String, String> OUTSIDE =
            Map.of(START, "quick-start", CHANGES, "changes", "CONTRIBUTING.md", "contributing");

    private static final Pattern LINE = Pattern.compile("(?m)^## (?<group>.+)$|^- \\[(?<title>.+?)]\\((?<link>.+?)\\)");
    private static final Pattern PLAIN =
            Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*+");

    private final Map<String, DocFile> pages = new LinkedHashMap<>();
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private final Map<String, DocFile> chapters = new LinkedHashMap<>();
    private final Map<String, String> commands = new LinkedHashMap<>();
    private final String baseUrl;
    private final String reference;

    /**
     * A page.
     *
     * @param source its path in the repository
     * @param title as in lists
     * @param group the group of pages that it belongs to; empty for the first page
     * @param parent the address of the page that it is a part of
     */
    record DocFile(
            String source,
            String address,
            String title,
            String group,
            @Nullable String parent,
            String markdown) {
        /** Whether it tells users what to do, unlike the change log and the pages for those who change the engine. */
        boolean isForUsers() {
            return !group.equals(FOR_CONTRIBUTORS) && !source.equals(CHANGES);
        }
    }

    /**
     * Reads all pages.
     *
     * @param reference what follows the text of {@code docs/commands.md}: every command, generated from the catalogue
     */
    Documents(String baseUrl, String reference) {
        this.baseUrl = baseUrl;
        this.reference = reference;
        add(new DocFile(CONTENTS, ROOT, "Documentation", "", null, text(CONTENTS)));
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
            add(new DocFile(source, address, title, group, parent, markdown(source)));
        }
        if (source.endsWith("/README.md")) {
            list(source, address, group);
        }
    }

    private static String word(String source) {
        return OUTSIDE.getOrDefault(source, source.replaceAll("^docs/|/README\\.md$|\\.md$", ""));
    }

    private String markdown(String source) {
        var markdown = source.equals(START) ? start(text(START)) : text(source);
        return source.equals(START) || source.equals(CALLS)
                ? markdown.replace("http://127.0.0.1:8080", baseUrl)
                : markdown;
    }

    /** Returns the README without its title, its badge and its list of documents. */
    private static String start(String readme) {
        return readme.replaceFirst("# .*\n(\n\\[!\\[.*\n)?", "# Quick start\n").replaceFirst("(?s)\n## More\n.*", "\n");
    }

    /**
     * Adds the list of all commands, in which each leads to its page in the hub. For readers of Markdown, each family is a
     * chapter.
     */
    private void chapters(String title, String group, String address) {
        var parts = DocChapter.of(text(COMMANDS) + reference);
        add(new DocFile(COMMANDS, address, title, group, null, parts.getFirst().markdown()));
        parts.stream().skip(1).forEach(part -> {
            var of = address + "/" + part.word();
            part.commands().forEach(name -> commands.put(name.toLowerCase(Locale.ROOT), ToolPages.TOOL + name));
            chapters.put(of, new DocFile(of, of, "Commands: " + part.title(), group, address, part.markdown()));
        });
    }

    private void add(DocFile document) {
        pages.put(document.address(), document);
        addresses.put(document.source(), document.address());
    }

    /** Returns all pages in order. */
    List<DocFile> all() {
        return new ArrayList<>(pages.values());
    }

    /** Returns all pages in order, and after the list of commands the chapters about each family, which are Markdown only. */
    List<DocFile> withChapters() {
        return all().stream()
                .mapMulti((DocFile document, Consumer<DocFile> next) -> {
                    next.accept(document);
                    if (document.source().equals(COMMANDS)) {
                        chapters.values().forEach(next);
                    }
                })
                .toList();
    }

    /** Returns the address at which a section is read: for a command, its page in the hub. */
    String address(DocFile document, Markdown.Section section) {
        if (chapters.containsKey(document.address())) {
            return commands.getOrDefault(section.id(), ROOT + "/" + word(COMMANDS));
        }
        return document.address() + (section.level() <= 1 ? "" : "#" + section.id());
    }

    /** Returns the page at an address. */
    Optional<DocFile> find(String address) {
        return Optional.ofNullable(pages.get(address));
    }

    /** Returns the chapter of the commands at an address. */
    Optional<DocFile> chapter(String address) {
        return Optional.ofNullable(chapters.get(address));
    }

    /**
     * Returns the address for a link in a document: a page, or a file of the repository, which is shown as it is.
     * Empty if the link leads elsewhere.
     */
    Optional<String> address(DocFile from, String link) {
        var hash = link.indexOf('#');
        var fragment = hash < 0 ? "" : link.substring(hash);
        var path = hash < 0 ? link : link.substring(0, hash);
        var command = from.source().equals(COMMANDS) && path.isEmpty() || path.endsWith("commands.md")
                ? commands.get(fragment.replace("#", ""))
                : null;
        if (command != null) {
            return Optional.of(command);
        } else if (path.isEmpty()) {
            return Optional.of(fragment);
        }
        var source = resolved(from.source(), path);
        if (picture("/" + source).isPresent()) {
            return Optional.of("/" + source);
        }
        var page = addresses.getOrDefault(source, addresses.get(source + "/README.md"));
        return page != null ? Optional.of(page + fragment) : file(source).map(_ -> FILES + source + fragment);
    }

    /** Returns the file of a diagram or a picture at its address. */
    static Optional<byte[]> picture(String address) {
        return PICTURE.matcher(address).matches() ? Assets.resource(address) : Optional.empty();
    }

    private static String resolved(String from, String link) {
        return Path.of(from).resolveSibling(link).normalize().toString();
    }

    /** Returns a text file of the repository that documents link to, such as an example. */
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
