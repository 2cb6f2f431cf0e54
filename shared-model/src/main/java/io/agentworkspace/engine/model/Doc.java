package io.agentworkspace.engine.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The sentence that describes a field to its reader, and the limits that its value keeps. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Doc {
    String value();

    /** What {@link #max()} is where a field declares none. */
    long NONE = -1;

    /**
     * Strings: at most so many characters (code points). Lists: at most so many items. Integers: the greatest value. Where none is
     * declared, strings and lists keep {@link Shape#DEFAULT_MAX}, and integers have no maximum.
     */
    long max() default NONE;

    /** Integers: the smallest value. */
    long min() default 0;

    /** Answers: told in the first answer only, never in a replay of it, since it is kept nowhere. */
    boolean once() default false;

    /** Strings and integers: the allowed values; empty means any. */
    String[] oneOf() default {};

    /** Strings: {@code uuid}, or nothing. */
    String format() default "";
}
