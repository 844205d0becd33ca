import {
  type ArgumentsHost,
  applyDecorators,
  type CallHandler,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  UseFilters,
  UseInterceptors,
} from "@nestjs/common";
import { EventPattern, MessagePattern, Payload } from "@nestjs/microservices";
import type { BodyOf, MessageType } from "@waybill/core";
import { settlingErrors } from "@waybill/core/internal";
import { catchError, type Observable, throwError } from "rxjs";
import { unhandledPattern, waybillTransport } from "./patterns.js";
import type { WaybillContext } from "./waybill-context.js";

/** Where Nest keeps the decorated parameters of a method. */
const parametersMetadata = "__routeArguments__";

/** A decorator of a method that takes the body of a message type first. */
type HandlerDecorator<Body> = <Method extends (body: Body, ...rest: never[]) => unknown>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Handles the messages of a type: the method gets their body in the type's current version, and with `@Ctx()` a {@link WaybillContext}. The
 * message is completed when the method, or the observable that it returns, has ended; a `DeadLetterError` dead-letters it, a `DeferError`
 * defers it, any other error abandons it, or retries it if the source has `retry`. Several methods may handle the same type.
 */
export function MessageHandler<Type extends MessageType>(type: Type): HandlerDecorator<BodyOf<Type>> {
  return applyDecorators(
    EventPattern(type.name, waybillTransport, { messageType: type }) as MethodDecorator,
    ...keepingErrors(),
  );
}

/**
 * Like {@link MessageHandler}, but what the method returns is sent as the reply to a message with `replyTo`, before the message is completed.
 * Only one method may handle requests of a type.
 */
export function RequestHandler<Type extends MessageType>(type: Type): HandlerDecorator<BodyOf<Type>> {
  return applyDecorators(
    MessagePattern(type.name, waybillTransport, { messageType: type }),
    ...keepingErrors(),
  );
}

/** Handles messages without a type or a handler of their type. Without such a method they are dead-lettered as `UnhandledMessageType`. */
export function UnhandledMessageHandler(): HandlerDecorator<unknown> {
  return applyDecorators(
    EventPattern(unhandledPattern, waybillTransport) as MethodDecorator,
    ...keepingErrors(),
  );
}

/** Nest's base filter would replace these errors, with what they say, by an object for the wire. */
class SettlementErrorFilter implements ExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}
Catch(...Object.values(settlingErrors))(SettlementErrorFilter);

class KeepFailure implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((error: unknown) => {
        context.switchToRpc().getContext<WaybillContext>().keepFailure(error);
        return throwError(() => error);
      }),
    );
  }
}

/** What all handlers need besides their pattern. */
function keepingErrors(): MethodDecorator[] {
  return [UseFilters(new SettlementErrorFilter()), UseInterceptors(new KeepFailure()), bodyFirst];
}

/** Once a parameter has `@Ctx()`, Nest passes only what is decorated: the first parameter is the body all the same. */
const bodyFirst: MethodDecorator = (target, key) => {
  const { getMetadata } = Reflect as unknown as {
    getMetadata(
      name: string,
      of: object,
      key: string | symbol,
    ): Readonly<Record<string, unknown>> | undefined;
  };
  const decorated = Object.keys(getMetadata(parametersMetadata, target.constructor, key) ?? {});
  if (!decorated.some((argument) => argument.endsWith(":0"))) Payload()(target, key, 0);
};
