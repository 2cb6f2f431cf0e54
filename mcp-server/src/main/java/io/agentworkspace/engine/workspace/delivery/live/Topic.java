package io.agentworkspace.engine.workspace.delivery.live;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The topics of a stream. A caller receives a topic only if it may run one of the tools that show the same data. */
enum Topic {
    PRESENCE("AP_List"),
    MESSAGES("ZN_Read", "AP_Read"),
    MEMORIES("MB_Read"),
    DELIVERIES("WH_Deliveries"),
    HANDSHAKES,
    DOCUMENTS("DC_List"),
    AUDIT("AC_Audit");

    private static final List<String> WORDS =
            Arrays.stream(values()).map(Topic::word).toList();

    private final List<String> tools;

    Topic(String... tools) {
        this.tools = List.of(tools);
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the word of the log of changes is one of the topics. */
    static boolean isTopic(String word) {
        return WORDS.contains(word);
    }

    boolean isFor(Caller caller, Catalogue catalogue) {
        return tools.isEmpty() || tools.stream().anyMatch(tool -> caller.may(catalogue.read(tool)));
    }

    /** Parses a comma-separated list of topics; without a list, returns all of them. */
    static Set<Topic> parse(@Nullable String list) {
        if (list == null || list.isBlank()) {
            return EnumSet.allOf(Topic.class);
        }
        var topics = EnumSet.noneOf(Topic.class);
        for (var word : list.split(",")) {
            topics.add(of(word.strip().toLowerCase(Locale.ROOT)));
        }
        return topics;
    }

    private static Topic of(String word) {
        var place = WORDS.indexOf(word);
        if (place < 0) {
            var near = Near.nearest(word, WORDS, 1);
            throw Problem.invalid(
                    "topics",
                    "contains '%s'; %sthe topics are %s"
                            .formatted(
                                    Name.shortened(word),
                                    near.isEmpty() ? "" : "did you mean %s? ".formatted(near.getFirst()),
                                    String.join(", ", WORDS)));
        }
        return values()[place];
    }
}
