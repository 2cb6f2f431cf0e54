package io.agentworkspace.engine.model.access;

/**
 * What a tool needs of the thing that it is run on, besides its capability and role. Each kind of thing has its own
 * requirements, and each is decided by one exhaustive switch: a requirement that nobody handles does not compile.
 */
public sealed interface Requirement {
    /** What it is about, as in {@code kind:name}. */
    default String kind() {
        return switch (this) {
            case OfAgent _ -> "agent";
            case OfDomain _ -> "domain";
            case OfZone _ -> "zone";
            case OfBank _ -> "bank";
            case OfUser _ -> "user";
            case OfKey _ -> "key";
            case OfCredential _ -> "credential";
        };
    }

    /** What is required, for a reader, as the rest of "It needs …". */
    String words();

    /** Of an agent. */
    enum OfAgent implements Requirement {
        SEE("that you may see it"),
        OWN("that it is yours, or that you are an admin"),
        /** To log on as it. */
        BE("that it is your own agent"),
        /** To name it as the one that acts. */
        ACT("that it is your own agent, or that you are an admin"),
        /** To make it the host of a domain. */
        HOST("that it is your own agent, or that you are an admin"),
        /** To bind a key to it. */
        BIND("that it belongs to the key's user, and that your key is not bound to another");

        private final String words;

        OfAgent(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Of a domain. */
    enum OfDomain implements Requirement {
        SEE("that you may see it"),
        OWN("that it is yours, or that you are an admin"),
        /** To speak there. */
        TAKE_PART(
                "that you take part: the agent you are logged on as, or one of yours, is a member, or it is your domain"),
        /** To read what is said there. */
        HEAR("that you take part: one of your agents is a member, or it is your domain"),
        RUN("that you decide for its side: as its owner, an admin, or logged on as its host"),
        /** Everybody for their own agents, its side for all. */
        RUN_OR_OWN_AGENT("that you decide for its side, or that the agent is yours"),
        /** The same, for agents that are not banned. */
        LET_IN("that you decide for its side, or that the agent is yours and not banned");

        private final String words;

        OfDomain(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Of a zone: what its domain is asked for. */
    enum OfZone implements Requirement {
        TAKE_PART(OfDomain.TAKE_PART),
        HEAR(OfDomain.HEAR),
        RUN(OfDomain.RUN);

        private final OfDomain inDomain;

        OfZone(OfDomain inDomain) {
            this.inDomain = inDomain;
        }

        public OfDomain inDomain() {
            return inDomain;
        }

        @Override
        public String words() {
            return inDomain.words();
        }
    }

    /** Of a memory bank. */
    enum OfBank implements Requirement {
        SEE("that you may see it"),
        READ("the permission read"),
        APPEND("the permission append"),
        MANAGE("the permission manage"),
        /** Everybody for what their own agents stored, who manages it for all. */
        MANAGE_OR_OWN_SHARE("the permission manage; for an agent's share that the agent is yours"),
        /** The same, for what is in the trash. */
        RESTORE(MANAGE_OR_OWN_SHARE.words),
        /** To see who holds what, and to change that. */
        READ_OR_GRANT("the permission read; to set one, manage"),
        OWN("that it is yours, or that you are an admin");

        private final String words;

        OfBank(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Of the user in {@code target.user}. */
    enum OfUser implements Requirement {
        /** To act for it: every tool that has {@code target.user}. */
        STAND_FOR(
                "that it is you, or that you are an admin whose key is neither bound to an agent nor another key's child"),
        /** To make a key of it. */
        KEY_OF(STAND_FOR.words + "; and that its role is not more than yours"),
        /** To change it. */
        GOVERN(STAND_FOR.words + "; of an owner, that you are one"),
        REMOVE(
                "that it is not you, and that your key is neither bound to an agent nor another key's child; of an owner, that"
                        + " you are one");

        private final String words;

        OfUser(String words) {
            this.words = words;
        }

        /** Whether the tool is about the user in {@code target.user}, instead of acting for that user. */
        public boolean isAboutUser() {
            return switch (this) {
                case STAND_FOR, KEY_OF -> false;
                case GOVERN, REMOVE -> true;
            };
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Of an API key. */
    enum OfKey implements Requirement {
        SEE("that you may see it"),
        /** To revoke or delete it. */
        END("that you manage it, and that its user's role is not more than yours"),
        CHANGE(END.words + "; to give it more or a later end, that your own key has all that it has then"),
        /** To be shown a new secret of it. */
        HOLD(END.words + "; that it has not ended; and that your own key has all that it has");

        private final String words;

        OfKey(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Of the caller's own credential. */
    enum OfCredential implements Requirement {
        /** To decide about users. */
        UNBOUND("a key that is not bound to an agent"),
        /** To make, change and rotate keys. */
        CURRENT("the newest secret of your key");

        private final String words;

        OfCredential(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }
}
