package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Tool;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each tool needs of the things that it is run on, by their kinds, and of the credential: {@link Lack} decides by it for tools
 * and explanations alike.
 */
final class Demands {
    private static final String CREDENTIAL = "";

    /** By tool and kind; a need without a kind is one of the credential itself. */
    private static final Map<String, Map<String, Need>> TABLE = read("""
            US_Create UNBOUND
            US_Update UNBOUND user:GOVERN
            US_Remove UNBOUND user:REMOVE
            AP_Read agent:SEE
            AP_Select agent:SEE
            AP_Add agent:SEE
            AP_Remove agent:SEE
            AP_Chat agent:SEE domain:TAKE_PART zone:TAKE_PART
            AP_LogOn agent:BE
            AP_LogOff agent:SEE
            AP_Update agent:OWN
            AP_Modify agent:OWN
            AP_Destroy agent:OWN
            DM_Create agent:HOST
            DM_Read domain:SEE
            DM_Update domain:OWN
            DM_Destroy domain:OWN
            DM_Invite domain:LET_IN
            DM_Kick domain:RUN_OR_OWN_AGENT
            DM_Ban domain:RUN
            DM_Unban domain:RUN
            ZN_List domain:SEE
            ZN_Read domain:HEAR zone:HEAR
            ZN_Enter domain:TAKE_PART zone:TAKE_PART
            ZN_Create domain:RUN
            ZN_Destroy domain:RUN zone:RUN
            MB_List agent:ACT
            MB_Create agent:ACT
            MB_Read bank:READ
            MB_AgentList bank:READ
            MB_Permissions bank:READ_OR_GRANT
            MB_Store bank:APPEND agent:ACT
            MB_Load bank:READ agent:ACT
            MB_Unload bank:SEE agent:ACT
            MB_Update bank:MANAGE
            MB_Censor bank:MANAGE
            MB_Uncensor bank:MANAGE
            MB_Delete bank:MANAGE_OR_OWN_SHARE
            MB_Restore bank:MANAGE_OR_OWN_SHARE
            MB_Destroy bank:OWN
            AK_Create CURRENT user:KEY_OF agent:BIND
            AK_Read key:SEE
            AK_Usage key:SEE
            AK_Update CURRENT key:CHANGE
            AK_Rotate CURRENT key:HOLD
            AK_Revoke key:END
            AK_Delete key:END
            SK_Install agent:OWN
            SK_Uninstall agent:OWN
            """);

    private Demands() {}

    private static Map<String, Map<String, Need>> read(String table) {
        var all = new LinkedHashMap<String, Map<String, Need>>();
        table.lines().map(line -> line.split(" ")).forEach(words -> {
            var needs = new LinkedHashMap<String, Need>();
            for (var i = 1; i < words.length; i++) {
                var parts = words[i].split(":");
                needs.put(parts.length == 1 ? CREDENTIAL : parts[0], Need.valueOf(parts[parts.length - 1]));
            }
            all.put(words[0], Collections.unmodifiableMap(needs));
        });
        return all;
    }

    /** What the tool needs of a thing of this kind that it is run on. */
    static Need of(String tool, String kind) {
        var need = needs(tool).get(kind);
        if (need == null) {
            throw new IllegalStateException("nothing is said of what %s needs of a %s".formatted(tool, kind));
        }
        return need;
    }

    /** What the tool needs of the credential besides capability, toolset and role. */
    static @Nullable Need ofCredential(String tool) {
        return needs(tool).get(CREDENTIAL);
    }

    /** Whether the tool is about the user in {@code target.user}, instead of acting for that user. */
    static boolean isAboutUser(String tool) {
        var need = needs(tool).get("user");
        return need == Need.GOVERN || need == Need.REMOVE;
    }

    /**
     * What a tool needs of a thing that was asked about; of a user, of each tool that can be run for one.
     *
     * @throws Problem {@code invalid_field} when the tool is not run on things of this kind
     */
    static Need asked(Tool<?, ?> tool, String kind) {
        var needs = new LinkedHashMap<>(needs(tool.name()));
        needs.remove(CREDENTIAL);
        if (tool.inputSchema().json().at("/properties/target/properties").has("user")) {
            needs.putIfAbsent("user", Need.STAND_FOR);
        }
        var need = needs.get(kind);
        if (need == null) {
            throw Problem.invalid(
                    "target",
                    needs.isEmpty()
                            ? "must be left out: %s is not run on a thing that could be asked about"
                                    .formatted(tool.name())
                            : "must be a thing that %s is run on, as kind:name; its kinds are %s"
                                    .formatted(tool.name(), String.join(", ", needs.keySet())));
        }
        return need;
    }

    private static Map<String, Need> needs(String tool) {
        return TABLE.getOrDefault(tool, Map.of());
    }
}
