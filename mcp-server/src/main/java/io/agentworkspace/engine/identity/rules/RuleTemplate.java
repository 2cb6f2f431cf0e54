package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A predefined rule with parameters to fill in. */
@Titled
record RuleTemplate(
        @Doc("Its name: send it as template to RL_Create.") String name,
        @Doc("What a rule made from it does.") String description,

        @Doc("What such a rule applies to by default.") List<String> appliesTo,

        @Doc("What it does with a match.") RuleEffect effect,
        @Doc("Its default message.") String message,
        @Doc("What to fill in.") List<Parameter> parameters,
        @Doc("The condition, with the default parameters.") String when,

        @Doc("The requests that test such a rule at each save; here for the default parameters.")
        List<RuleExample> examples) {

    /** A parameter of a template. */
    public record Parameter(
            @Doc("Its name.") String name,
            @Doc("text, number or texts (a list).") String type,
            @Doc("What it means.") String description,

            @Doc("Its name and its default value.") ObjectNode defaults) {

        public JsonNode value() {
            return defaults.get(name);
        }
    }
}
