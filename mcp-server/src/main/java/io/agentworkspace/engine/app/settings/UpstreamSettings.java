package io.agentworkspace.engine.app.settings;

import io.agentworkspace.engine.kernel.http.TrustedProxies;
import java.util.List;
import java.util.Map;

/**
 * The settings of upstream servers.
 *
 * @param allowed private networks that they may be in
 */
public record UpstreamSettings(List<String> allowed) {
    static final Setting<List<String>> ALLOW = Setting.of(
            "ENGINE_UPSTREAMS_ALLOW",
            "",
            "private networks that upstream MCP servers and agents elsewhere may be in, comma-separated; 127.0.0.0/8 for development",
            "a list of addresses and networks, such as 10.0.0.0/8,192.168.1.2",
            SettingParsers.listOf(TrustedProxies::checked));

    static UpstreamSettings read(Map<String, String> values) {
        return new UpstreamSettings(ALLOW.read(values));
    }
}
