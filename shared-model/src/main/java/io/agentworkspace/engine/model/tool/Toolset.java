package io.agentworkspace.engine.model.tool;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The tools that a key is limited to, as the names of families: {@code agent}, {@code bank}, …
 *
 * @param families null for all
 * @param discovery whether MCP clients are shown three tools that find, describe and run the others
 */
public record Toolset(@Nullable Set<String> families, boolean discovery) {
    public static final String ALL = "all";
    public static final String DISCOVERY = "discovery";
    public static final Toolset EVERYTHING = new Toolset(null, false);

    public Toolset {
        families = families == null ? null : Collections.unmodifiableSet(new TreeSet<>(families));
    }

    /** Parses the names; {@code all}, or {@code discovery} alone, limits nothing. */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static Toolset of(Collection<String> words) {
        var families = new TreeSet<>(words);
        var discovery = families.remove(DISCOVERY);
        return families.contains(ALL) || (families.isEmpty() && discovery)
                ? new Toolset(null, discovery)
                : new Toolset(families, discovery);
    }

    public boolean covers(Tool<?, ?> tool) {
        return covers(tool.family());
    }

    public boolean covers(Family family) {
        return families == null || families.contains(family.word());
    }

    /** Whether it covers only what the other covers. */
    public boolean isWithin(Toolset other) {
        return other.families == null || (families != null && other.families.containsAll(families));
    }

    /** What both cover. */
    public Toolset under(Toolset above) {
        if (above.families == null) {
            return this;
        }
        if (families == null) {
            return new Toolset(above.families, discovery);
        }
        var both = new TreeSet<>(families);
        both.retainAll(above.families);
        return new Toolset(both, discovery);
    }

    @JsonValue
    public List<String> words() {
        var words = new ArrayList<String>();
        if (families != null) {
            words.addAll(families);
        } else if (!discovery) {
            words.add(ALL);
        }
        if (discovery) {
            words.add(DISCOVERY);
        }
        return List.copyOf(words);
    }

    @Override
    public String toString() {
        return String.join(", ", words());
    }
}
