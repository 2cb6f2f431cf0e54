package io.agentworkspace.engine.testing;

/** What tests about domains begin with: agents, and domains with zones that they talk in. */
public final class Scene {
    private Scene() {}

    /** Agents of this person, private ones. Each can be spoken as in a context of its own, named like it. */
    public static void agents(Person owner, String... names) {
        for (var name : names) {
            agent(owner, name, "private");
        }
    }

    public static void agent(Person owner, String name, String access) {
        owner.call("AP_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
        owner.call("AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(name))
                .ok();
    }

    /** A domain without a host. */
    public static void domain(Person owner, String name, String access) {
        owner.call("DM_Create", "{'vx':{'name':'%s','description':'d','access':'%s'}}".formatted(name, access))
                .ok();
    }

    public static void hosted(Person owner, String name, String access, String host) {
        owner.call(
                        "DM_Create",
                        "{'target':{'agent':'%s'},'vx':{'name':'%s','description':'d','access':'%s'}}"
                                .formatted(host, name, access))
                .ok();
    }

    /** A command on a domain and an agent. */
    public static Reply of(Person caller, String service, String domain, String agent) {
        return caller.call(service, "{'target':{'domain':'%s','agent':'%s'}}".formatted(domain, agent));
    }

    public static Reply invite(Person caller, String domain, String agent) {
        return of(caller, "DM_Invite", domain, agent);
    }

    public static Reply readDomain(Person caller, String domain) {
        return caller.call("DM_Read", "{'target':{'domain':'%s'}}".formatted(domain));
    }

    public static void zone(Person caller, String domain, String zone) {
        caller.call("ZN_Create", "{'target':{'domain':'%s'},'vx':{'name':'%s'}}".formatted(domain, zone))
                .ok();
    }

    public static Reply enter(Person caller, String context, String domain, String zone) {
        return caller.call(
                "ZN_Enter", "{'target':{'domain':'%s','zone':'%s','context':'%s'}}".formatted(domain, zone, context));
    }

    public static Reply say(Person caller, String context, String domain, String zone, String content) {
        return caller.call(
                "AP_Chat",
                "{'target':{'domain':'%s','zone':'%s','context':'%s'},'content':'%s'}"
                        .formatted(domain, zone, context, content));
    }

    /** The envelope's count of what waits for the agent. */
    public static long unread(Person owner, String agent) {
        return owner.call("US_Read", "{'target':{'context':'%s'}}".formatted(agent))
                .ok()
                .number("/header/unread");
    }
}
