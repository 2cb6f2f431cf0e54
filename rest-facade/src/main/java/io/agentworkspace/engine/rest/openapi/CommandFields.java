package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.schema.SchemaUnion;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.Collection;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/** The fields of a command request, computed from the tools (contract, "Command request"). */
public final class CommandFields {
    /** The field that a request has besides those of its command. */
    private record CommandName(
            @Doc("The command's name, e.g. AP_Add; case-sensitive. On an alias route the path fixes it.") @Nullable
            String service) {}

    private static final Schema NAME = Schema.ofInput(CommandName.class, false);

    private CommandFields() {}

    /** Returns the schema of a request to any of the tools that are commands. */
    public static Schema of(Collection<Tool<?, ?>> tools) {
        var inputs = new LinkedHashMap<String, Schema>();
        tools.stream().filter(Tool::isCommand).forEach(tool -> inputs.put(tool.name(), tool.inputSchema()));
        return SchemaUnion.of("CommandRequest", NAME, inputs);
    }
}
