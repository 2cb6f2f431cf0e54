package io.agentworkspace.engine.hubs.markdown;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;

/** The headings of a text. Each has a unique id, and a level at most one below the previous one. */
final class Outline extends AbstractVisitor {
    private static final int LOWEST = 6;

    /** The ids of the surrounding page. */
    private static final List<String> TAKEN = List.of("main", "theme", "account-button", "q");

    private final Map<Heading, HeadingId> places = new IdentityHashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Set<String> taken = new HashSet<>(TAKEN);
    private final String prefix;
    private final int top;
    private int last;

    /** @param level 1 to 6 */
    record HeadingId(int level, String id) {}

    Outline(Node document, String prefix, int top) {
        this.prefix = prefix;
        this.top = top;
        last = top - 1;
        document.accept(this);
    }

    HeadingId place(Heading heading) {
        return Objects.requireNonNull(places.get(heading));
    }

    @Override
    public void visit(Heading heading) {
        last = Math.min(Math.min(heading.getLevel() + top - 1, last + 1), LOWEST);
        places.put(heading, new HeadingId(last, free(prefix + Markdown.slug(PlainText.of(heading)))));
    }

    /**
     * Returns the id itself if it is free, else the id with a number. Counting continues from the last number, since
     * thousands of headings may have the same title.
     */
    private String free(String id) {
        var free = id;
        for (var i = numbers.getOrDefault(id, 1); !taken.add(free); i++) {
            free = id + "-" + i;
            numbers.put(id, i + 1);
        }
        return free;
    }
}
