package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.markdown.Markdown;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A chapter of the commands: one family, or the overview of all commands with the table of each family.
 *
 * @param word its name in addresses; empty for the first chapter
 * @param commands the names of its commands
 */
record DocChapter(String word, String title, List<String> commands, String markdown) {
    private static final Pattern FAMILY = Pattern.compile("(?m)^## (?:\\d+ - )?(.+)$");
    private static final Pattern COMMAND = Pattern.compile("(?m)^### (\\w+)$");

    /** Returns the overview, then the families in order. */
    static List<DocChapter> of(String commands) {
        var families = FAMILY.matcher(commands).results().toList();
        var chapters = new ArrayList<DocChapter>();
        var overview =
                new StringBuilder(commands.substring(0, families.getFirst().start()));
        for (var i = 0; i < families.size(); i++) {
            var end = i + 1 < families.size() ? families.get(i + 1).start() : commands.length();
            var title = families.get(i).group(1);
            var body = commands.substring(families.get(i).end(), end);
            var named =
                    COMMAND.matcher(body).results().map(found -> found.group(1)).toList();
            chapters.add(
                    new DocChapter(Markdown.slug(title), title, named, "# Commands: %s\n%s".formatted(title, body)));
            overview.append("## ").append(title).append(body, 0, body.indexOf("\n### ") + 1);
        }
        chapters.addFirst(new DocChapter("", "Commands", List.of(), overview.toString()));
        return chapters;
    }
}
