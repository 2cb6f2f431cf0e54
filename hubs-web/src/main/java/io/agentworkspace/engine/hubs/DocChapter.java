package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A part of {@code docs/commands.md}: what all commands have in common with the table of each family, or one family.
 *
 * @param word its name in addresses; empty for the first part
 * @param anchors the ids of its commands
 */
record DocChapter(String word, String title, List<String> anchors, String markdown) {
    private static final Pattern FAMILY = Pattern.compile("(?m)^## (?:\\d+ - )?(.+)$");
    private static final Pattern COMMAND = Pattern.compile("(?m)^### (\\w+)$");

    /** For who reads it in the repository. */
    private static final Pattern WARNING = Pattern.compile("(?m)^Generated from .*\\n\\n");

    /** The overview, then the families in order. */
    static List<DocChapter> of(String commands, String address) {
        var families = FAMILY.matcher(commands).results().toList();
        var chapters = new ArrayList<DocChapter>();
        var overview = new StringBuilder(
                WARNING.matcher(commands.substring(0, families.getFirst().start()))
                        .replaceFirst(""));
        for (var i = 0; i < families.size(); i++) {
            var end = i + 1 < families.size() ? families.get(i + 1).start() : commands.length();
            var title = families.get(i).group(1);
            var body = commands.substring(families.get(i).end(), end);
            var anchors = COMMAND.matcher(body)
                    .results()
                    .map(found -> found.group(1).toLowerCase(Locale.ROOT))
                    .toList();
            chapters.add(
                    new DocChapter(Markdown.slug(title), title, anchors, "# Commands: %s\n%s".formatted(title, body)));
            overview.append("## ").append(title).append(body, 0, body.indexOf("\n### ") + 1);
        }
        chapters.addFirst(new DocChapter("", "Commands", List.of(), overview.toString()));
        return chapters;
    }
}
