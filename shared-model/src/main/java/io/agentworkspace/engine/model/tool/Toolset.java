package io.agentworkspace.engine.model.tool;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The toolset of a key: the tools that it is limited to, and what {@code tools/list} shows it.
 *
 * @param families the names of families and of installed servers that it is limited to: {@code agent}, {@code bank}, …; null for all
 * @param readOnly whether it is limited to tools that read
 * @param discovery whether MCP clients see a few tools that find, describe and run the others
 * @param whole whether MCP clients see all tools instead of the default ones
 * @param work whether MCP clients see the few tools of coding agents instead of the default ones
 * @param servers the installed servers whose tools MCP clients see besides, without a limit to them
 */
public record Toolset(
        @Nullable Set<String> families,
        boolean readOnly,
        boolean discovery,
        boolean whole,
        boolean work,
        Set<String> servers) {
    public static final String ALL = "all";
    public static final String DEFAULT = "default";
    public static final String DISCOVERY = "discovery";
    public static final String READ_ONLY = "readonly";

    /** The toolset of coding agents: a few tools, and those that find, describe and run all others. */
    public static final String WORK = "work";

    /** The toolsets besides those of the families. */
    public static final List<String> GENERAL = List.of(DEFAULT, WORK, ALL, DISCOVERY, READ_ONLY);

    /** The toolset without limits, which lists the default tools. */
    public static final Toolset EVERYTHING = new Toolset(null, false, false, false, false, Set.of());

    public Toolset {
        families = families == null ? null : Collections.unmodifiableSet(new TreeSet<>(families));
        servers = Collections.unmodifiableSet(new TreeSet<>(servers));
    }

    /**
     * Parses the names. Without the name of a family or a server, or with {@code all}, {@code default} or {@code work}, the toolset
     * covers everything; then servers only add to what is listed.
     */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static Toolset of(Collection<String> words) {
        var families = new TreeSet<>(words);
        GENERAL.forEach(families::remove);
        var every = families.isEmpty() || Stream.of(ALL, DEFAULT, WORK).anyMatch(words::contains);
        var servers = every && !words.contains(ALL)
                ? families.stream().filter(word -> !isNamed(word)).collect(Collectors.toSet())
                : Set.<String>of();
        return new Toolset(
                every ? null : families,
                words.contains(READ_ONLY),
                words.contains(DISCOVERY),
                words.contains(ALL),
                words.contains(WORK),
                servers);
    }

    /** Returns whether there is a toolset with this name. */
    public static boolean isNamed(String word) {
        return GENERAL.contains(word)
                || Arrays.stream(Family.values())
                        .anyMatch(family -> family.word().equals(word));
    }

    public boolean covers(Tool<?, ?> tool) {
        return (covers(tool.family()) || coversWord(tool.toolset()))
                && (!readOnly || tool.effect().reads());
    }

    public boolean covers(Family family) {
        return coversWord(family.word());
    }

    private boolean coversWord(String word) {
        return families == null || families.contains(word);
    }

    /** Returns whether it has the tools that find, describe and run others: named, or not limited to families. */
    public boolean coversDiscovery() {
        return families == null || discovery;
    }

    /** Returns the toolsets that {@code tools/list} shows for it; empty for the default. */
    public Set<String> listed() {
        return equals(EVERYTHING) ? Set.of() : discovery ? Set.of(DISCOVERY) : Set.copyOf(words());
    }

    /** Returns whether it covers only tools that the other covers. */
    public boolean isWithin(Toolset other) {
        return (readOnly || !other.readOnly)
                && (other.families == null
                        || (families != null && families.stream().allMatch(other::coversAllOf)));
    }

    /** All installed servers are in the family {@code upstream}. */
    private boolean coversAllOf(String word) {
        return coversWord(word) || !isNamed(word) && coversWord(Family.UPSTREAM.word());
    }

    /** Returns the tools that both cover. How they are listed stays as in this one. */
    public Toolset under(Toolset above) {
        var both = families;
        if (families == null) {
            both = above.families;
        } else if (above.families != null) {
            both = Stream.concat(
                            families.stream().filter(above::coversAllOf),
                            above.families.stream().filter(this::coversAllOf))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        return new Toolset(
                both,
                readOnly || above.readOnly,
                discovery,
                whole && both == null,
                work && both == null,
                both == null ? servers : Set.of());
    }

    @JsonValue
    public List<String> words() {
        var words = new ArrayList<String>();
        if (families != null) {
            words.addAll(families);
        } else if (whole) {
            words.add(ALL);
        }
        if (work) {
            words.add(WORK);
        }
        if (readOnly) {
            words.add(READ_ONLY);
        }
        if (discovery) {
            words.add(DISCOVERY);
        }
        if (words.isEmpty() && families == null) {
            words.add(DEFAULT);
        }
        words.addAll(servers);
        return List.copyOf(words);
    }

    @Override
    public String toString() {
        return String.join(", ", words());
    }
}
