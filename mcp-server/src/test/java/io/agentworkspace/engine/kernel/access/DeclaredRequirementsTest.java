package io.agentworkspace.engine.kernel.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A tool that takes the name of a thing declares what it requires of the thing. */
class DeclaredRequirementsTest {
    private static final List<String> KINDS = List.of("agent", "domain", "zone", "bank");

    /** What may be named without a requirement of its own, and why. */
    private static final Map<String, List<String>> NOTHING = Map.of(
            "the beginning of names", List.of("AP_List agent", "DM_List domain", "ZN_List zone", "MB_List bank"),
            "the name of what is created", List.of("MB_Create bank"),
            "shows less of the other thing",
                    List.of(
                            "DM_Read agent",
                            "MB_Read agent",
                            "MB_Search agent",
                            "MB_AgentList agent",
                            "MB_Permissions agent",
                            "TK_List agent"),
            "a member, decided with the domain",
                    List.of("DM_Invite agent", "DM_Kick agent", "DM_Ban agent", "DM_Unban agent"),
            "a share, decided with the bank",
                    List.of(
                            "MB_Censor agent",
                            "MB_Uncensor agent",
                            "MB_Delete agent",
                            "MB_Restore agent",
                            "MB_Destroy agent"),
            "a safeguard beside the requirement of the domain", List.of("DM_Destroy agent"));

    @Test
    void everyThingThatAToolTakesIsRequiredSomethingOf() {
        var missing = new ArrayList<String>();
        for (var tool : TestDatabase.catalogue().tools()) {
            for (var kind : KINDS) {
                if (takes(tool, kind)
                        && tool.requirements().stream()
                                .noneMatch(requirement -> requirement.kind().equals(kind))) {
                    missing.add(tool.name() + " " + kind);
                }
            }
        }
        assertThat(missing)
                .as("declare it with .on(…), or give the reason here")
                .containsExactlyInAnyOrderElementsOf(
                        NOTHING.values().stream().flatMap(List::stream).toList());
    }

    private static boolean takes(Tool<?, ?> tool, String kind) {
        return tool.inputSchema().json().at("/properties/target/properties").has(kind);
    }
}
