package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.memory.banks.transfer.ImportReport.DocumentCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Writes the result of an import as a sentence. */
final class ImportSummary {
    private ImportSummary() {}

    /**
     * @param counts of the lines
     * @param product what was recognised, if that was asked for
     */
    static String of(
            ObjectNode counts, Optional<String> product, @Nullable DocumentCounts documents, boolean isPreview) {
        var memories = counts.path("stored").asLong();
        var done = new ArrayList<String>();
        add(done, memories, "new memory", "new memories");
        add(done, counts.path("replaced").asLong(), "memory with a new text", "memories with a new text");
        add(done, counts.path("revisions").asLong(), "former revision", "former revisions");
        var refused = counts.path("refused").asLong();
        var known = counts.path("unchanged").asLong();
        var waiting = 0L;
        if (documents != null) {
            add(done, documents.stored(), "conversation or file", "conversations or files");
            refused += documents.refused();
            known += documents.unchanged();
            waiting = documents.waiting();
        }
        var open = new ArrayList<String>();
        add(open, known, "was there already", "were there already");
        add(open, refused, "was refused", "were refused");
        add(open, waiting, "is still being validated", "are still being validated");
        var what = done.isEmpty() ? "nothing new" : joined(done);
        var verb = isPreview ? "This would store" : refused + waiting > 0 ? "Partly imported:" : "Imported";
        var rest = open.isEmpty() ? "" : "; " + joined(open);
        var again = waiting > 0 ? " Send the same import again to load what is being validated." : "";
        var readers = isPreview && documents != null && documents.found() > 0
                ? " Everybody in the workspace with document:read can read conversations and files once they are imported."
                : "";
        return product.map(name -> "Recognised: %s. ".formatted(name)).orElse("")
                + "%s %s%s.%s%s".formatted(verb, what, rest, again, readers);
    }

    private static void add(List<String> to, long count, String one, String many) {
        if (count > 0) {
            to.add("%,d %s".formatted(count, count == 1 ? one : many));
        }
    }

    private static String joined(List<String> parts) {
        return parts.size() == 1
                ? parts.getFirst()
                : String.join(", ", parts.subList(0, parts.size() - 1)) + " and " + parts.getLast();
    }
}
