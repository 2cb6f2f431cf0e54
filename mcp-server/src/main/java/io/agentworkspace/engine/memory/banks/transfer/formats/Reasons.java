package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.model.schema.Doc;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Why entries were refused or left out: one sentence for each reason, with a count and the first place. */
public final class Reasons {
    /** The maximum number of reasons. The others are counted together. */
    static final int MOST = 20;

    private static final String OTHERS = "other reasons";

    /** What differs between two notes of the same reason. */
    private static final Pattern VALUE = Pattern.compile("'[^']*'|\"[^\"]*\"|\\p{N}+");

    private final Map<String, Reason> byKind = new LinkedHashMap<>();

    /** A reason, and how many entries it holds for. */
    public record Reason(
            @Doc("What was wrong.") String note,
            @Doc("How many entries.") long count,

            @Doc("The number of the first one, counted from 1.")
            long line,

            @Doc("Its file, if a folder is imported.") @Nullable
            String file) {
        Reason plus(long more) {
            return new Reason(note, count + more, line, file);
        }
    }

    public void add(String note, Place at) {
        add(new Reason(note, 1, at.line(), at.file().isEmpty() ? null : at.file()));
    }

    public void add(Reason reason) {
        var kind = VALUE.matcher(reason.note()).replaceAll("#");
        var isKnown = byKind.containsKey(kind);
        if (!isKnown && byKind.size() >= MOST) {
            byKind.merge(
                    OTHERS,
                    new Reason(OTHERS, reason.count(), reason.line(), reason.file()),
                    (old, more) -> old.plus(more.count()));
        } else {
            byKind.merge(kind, reason, (old, more) -> old.plus(more.count()));
        }
    }

    public List<Reason> list() {
        return new ArrayList<>(byKind.values());
    }

    public long count() {
        return byKind.values().stream().mapToLong(Reason::count).sum();
    }
}
