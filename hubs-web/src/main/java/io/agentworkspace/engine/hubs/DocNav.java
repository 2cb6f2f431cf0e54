package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.Documents.Document;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The list of pages beside each of them.
 *
 * @param query what is looked for, to be changed there
 */
record DocNav(List<Group> groups, String query) {
    record Group(String title, List<Entry> entries) {}

    /** @param parts the pages below it, where it or one of them is shown */
    record Entry(String title, String address, boolean current, List<Entry> parts) {
        public boolean hasParts() {
            return !parts.isEmpty();
        }
    }

    /** @param shown the page that this stands beside, if it is one of them */
    static DocNav of(List<Document> all, @Nullable Document shown) {
        var groups = new LinkedHashMap<String, List<Entry>>();
        for (var document : all) {
            if (!document.group().isEmpty() && document.parent() == null) {
                groups.computeIfAbsent(document.group(), _ -> new ArrayList<>())
                        .add(new Entry(
                                document.title(),
                                document.address(),
                                document.equals(shown),
                                parts(all, document, shown)));
            }
        }
        return new DocNav(
                groups.entrySet().stream()
                        .map(group -> new Group(group.getKey(), group.getValue()))
                        .toList(),
                "");
    }

    private static List<Entry> parts(List<Document> all, Document of, @Nullable Document shown) {
        var open = shown != null && (shown.equals(of) || of.address().equals(shown.parent()));
        return all.stream()
                .filter(document -> open && of.address().equals(document.parent()))
                .map(document -> new Entry(document.title(), document.address(), document.equals(shown), List.of()))
                .toList();
    }

    DocNav asking(String words) {
        return new DocNav(groups, words);
    }
}
