package io.agentworkspace.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeantTest {
    private static final List<Meant.Titled> KNOWN = List.of(
            new Meant.Titled("AP_List", "List agents", true),
            new Meant.Titled("AP_Create", "Create an agent", false),
            new Meant.Titled("DM_Create", "Create a domain", false),
            new Meant.Titled("MB_Read", "Read a memory bank", true),
            new Meant.Titled("MB_Store", "Store a memory", false),
            new Meant.Titled("AC_Audit", "Read the audit", true));

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
        assertThat(Meant.tool(name, KNOWN)).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"MB_Search, MB_Read", "search_memory, MB_Read", "weather, AC_Audit"})
    void elseAllAreToldAndNothingThatWrites(String name, String closest) {
        assertThat(Meant.hint(name, KNOWN, "tools/list"))
                .startsWith("tools/list shows all")
                .endsWith("the nearest name is " + closest);
    }

    @Test
    void whereThereIsNoneThereIsNoNearest() {
        assertThat(Meant.hint("x", List.of(), "tools/list")).isEqualTo("tools/list shows all that there are");
    }
}
