package io.agentworkspace.engine.model.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A type of a feature whose schema has the type's name as its title, as those of {@code model} have: the OpenAPI document and the clients that are
 * generated from it use that name. Other types of features belong to one tool and have none.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Titled {}
