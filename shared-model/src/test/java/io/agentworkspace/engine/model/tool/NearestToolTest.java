package io.agentworkspace.engine.model.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestToolTest {
    private static final List<NearestTool.Titled> KNOWN = List.of(
            new NearestTool.Titled("AP_List", "List agents", true),
            new NearestTool.Titled("AP_Create", "Create an agent", false),
            new NearestTool.Titled("DM_Create", "Create a domain", false),
            new NearestTool.Titled("MB_Read", "Read a memory bank", true),
            new NearestTool.Titled("MB_Store", "Store a memory", false),
            new NearestTool.Titled("AC_Audit", "Read the audit", true));

    @ParameterizedTest
    @CsvSource({
        "AP_Creat, AP_Create",
        "ap_create, AP_Create",
        "create_agent, AP_Create",
        "createAgent, AP_Create",
        "agents.create, AP_Create",
        "create_new_agent, AP_Create",
        "create-domain, DM_Create",
        "list_agents, AP_List",
        "store_memory, MB_Store",
        "read memory bank, MB_Read"
    })
    void isFoundByLettersOrByWords(String name, String meant) {
        assertThat(NearestTool.tool(name, KNOWN)).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"MB_Search, MB_Read", "search_memory, MB_Read", "weather, AC_Audit"})
    void elseAllAreToldAndNothingThatWrites(String name, String closest) {
        assertThat(NearestTool.hint(name, KNOWN, "tools/list"))
                .startsWith("tools/list shows all")
                .endsWith("the nearest name is " + closest);
    }

    @Test
    void whereThereIsNoneThereIsNoNearest() {
        assertThat(NearestTool.hint("x", List.of(), "tools/list")).isEqualTo("tools/list shows all that there are");
    }
}
