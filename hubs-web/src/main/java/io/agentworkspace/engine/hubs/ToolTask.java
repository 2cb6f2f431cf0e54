package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What readers come to do, in the order in which most do it. The hub groups tools by these. */
enum ToolTask {
    TALK(
            "Talk",
            "Send messages, read what arrived, and meet in zones.",
            Set.of(),
            List.of(
                    "AP_Chat",
                    "AP_Read",
                    "ZN_Read",
                    "ZN_Enter",
                    "ZN_Leave",
                    "ZN_List",
                    "AP_LogOn",
                    "AP_LogOff",
                    "AP_Select")),
    REMEMBER(
            "Remember",
            "Store what agents learn, search it, and correct it.",
            Set.of(Family.BANK),
            List.of("MB_Store", "MB_Search", "MB_Read", "MB_Load", "MB_Unload", "MB_Files", "MB_List", "MB_Create")),
    INVITE(
            "Invite and share",
            "Choose who meets in a domain, and who reads a memory bank.",
            Set.of(),
            List.of(
                    "DM_Invite",
                    "MB_Permissions",
                    "MB_AgentList",
                    "AP_Add",
                    "AP_Remove",
                    "DM_Kick",
                    "DM_Ban",
                    "DM_Unban")),
    SET_UP(
            "Create agents and spaces",
            "Give agents a name and a profile, and make domains and zones for them.",
            Set.of(Family.AGENT, Family.DOMAIN, Family.ZONE),
            List.of("AP_Create", "AP_List", "DM_Create", "DM_List", "ZN_Create")),
    TEACH(
            "Add documents and skills",
            "Hand in files, and install instructions on agents.",
            Set.of(Family.DOCUMENT, Family.SKILL),
            List.of("DC_Submit")),
    REACT("React to events", "Receive events by webhook or from the feed.", Set.of(Family.WEBHOOK), List.of()),
    ADMINISTER(
            "Administer",
            "Users, API keys, rules, the plan and the audit.",
            Set.of(Family.USER, Family.KEY, Family.RULE, Family.ACCOUNT, Family.UPSTREAM),
            List.of("US_Read", "AK_Create", "AK_List"));

    private final String title;
    private final String sentence;
    private final Set<Family> families;
    private final List<String> first;

    ToolTask(String title, String sentence, Set<Family> families, List<String> first) {
        this.title = title;
        this.sentence = sentence;
        this.families = families;
        this.first = first;
    }

    /** The word in addresses. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String title() {
        return title;
    }

    String sentence() {
        return sentence;
    }

    /** A tool that a task names, else the task of its family. */
    static ToolTask of(Tool<?, ?> tool) {
        return Arrays.stream(values())
                .filter(task -> task.first.contains(tool.name()))
                .findFirst()
                .orElseGet(() -> Arrays.stream(values())
                        .filter(task -> task.families.contains(tool.family()))
                        .findFirst()
                        .orElse(ADMINISTER));
    }

    /** Every tool under its task: those that the task names first, then the others as the catalogue has them. */
    static Map<ToolTask, List<Tool<?, ?>>> group(Catalogue catalogue) {
        var groups = new EnumMap<ToolTask, List<Tool<?, ?>>>(ToolTask.class);
        catalogue
                .tools()
                .forEach(tool ->
                        groups.computeIfAbsent(of(tool), _ -> new ArrayList<>()).add(tool));
        groups.forEach((task, tools) -> tools.sort(Comparator.comparingInt(tool -> task.place(tool.name()))));
        return groups;
    }

    private int place(String name) {
        var place = first.indexOf(name);
        return place < 0 ? first.size() : place;
    }
}
