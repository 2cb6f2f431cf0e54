package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.Documents.DocFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The navigation beside each documentation page.
 *
 * @param query the current search text
 */
record DocNav(List<NavGroup> groups, String query) {
    record NavGroup(String title, List<NavItem> entries) {}

    /** @param parts the pages below it, if it or one of them is shown */
    record NavItem(String title, String address, boolean current, List<NavItem> parts) {
        public boolean hasParts() {
            return !parts.isEmpty();
        }
    }

    /**
     * Pages for contributors are listed only beside one of them, which the first of them leads to.
     *
     * @param current the current page, if it is a document
     */
    static DocNav of(List<DocFile> all, @Nullable DocFile current) {
        var groups = new LinkedHashMap<String, List<NavItem>>();
        for (var document : all) {
            if (!document.group().isEmpty() && document.parent() == null) {
                groups.computeIfAbsent(document.group(), _ -> new ArrayList<>())
                        .add(new NavItem(
                                document.title(),
                                document.address(),
                                document.equals(current),
                                parts(all, document, current)));
            }
        }
        return new DocNav(
                groups.entrySet().stream()
                        .map(group -> new NavGroup(group.getKey(), entries(group.getKey(), group.getValue(), current)))
                        .toList(),
                "");
    }

    private static List<NavItem> entries(String group, List<NavItem> all, @Nullable DocFile current) {
        var isHidden = group.equals(Documents.FOR_CONTRIBUTORS)
                && (current == null || !current.group().equals(group));
        return isHidden ? all.subList(0, 1) : all;
    }

    private static List<NavItem> parts(List<DocFile> all, DocFile of, @Nullable DocFile current) {
        var open = current != null && (current.equals(of) || of.address().equals(current.parent()));
        return all.stream()
                .filter(document -> open && of.address().equals(document.parent()))
                .map(document -> new NavItem(document.title(), document.address(), document.equals(current), List.of()))
                .toList();
    }

    DocNav asking(String words) {
        return new DocNav(groups, words);
    }
}
