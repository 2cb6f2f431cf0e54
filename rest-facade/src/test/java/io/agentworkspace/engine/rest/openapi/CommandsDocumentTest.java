package io.agentworkspace.engine.rest.openapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.rest.TestCatalogue;
import org.junit.jupiter.api.Test;

class CommandsDocumentTest {
    private final io.agentworkspace.engine.model.tool.Catalogue catalogue = new TestCatalogue().catalogue();

    @Test
    void everyToolHasItsSection() {
        var text = CommandsDocument.render(catalogue);

        assertThat(text)
                .contains("## 02 - Agent", "## API Keys")
                .contains("| [AP_Create](#ap_create) | Creates an agent owned by the caller. |")
                .contains("| `vx.description` * | string ≤ 2,000 | What it is for. |")
                .contains("| `vx.access` | string one of private, public | Who may see it. |")
                .contains("| `profile[].name` | string | Its name. |")
                .contains("-d '{\"target\":{\"agent\":\"scout\"}}'")
                .contains("curl -s \"$ENGINE/api/keys\" -H")
                .contains("curl -s -X DELETE \"$ENGINE/api/keys/1\" -H");
        catalogue.tools().forEach(tool -> assertThat(text).contains("### " + tool.name() + "\n"));
    }

    @Test
    void theSameCatalogueGivesTheSameText() {
        assertThat(CommandsDocument.render(new TestCatalogue().catalogue()))
                .isEqualTo(CommandsDocument.render(catalogue));
    }

    @Test
    void everyExampleKeepsItsOwnSchema() {
        catalogue
                .tools()
                .forEach(tool -> assertThatCode(() -> tool.inputSchema().read(Example.arguments(tool), true))
                        .as(tool.name())
                        .doesNotThrowAnyException());
    }
}
