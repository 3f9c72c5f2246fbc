import { type DescMessage, fromBinary, type Message } from '@bufbuild/protobuf';
import { fileDesc, messageDesc } from '@bufbuild/protobuf/codegenv2';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { isMapping, type Mapping } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';

/**
 * OpenTelemetry's own definitions, `opentelemetry/proto/NAME.proto` as compiled in the PyPI package
 * `opentelemetry-proto` 1.45.2 (Copyright The OpenTelemetry Authors, Apache-2.0). They are stable: fields are only
 * added.
 */
const DEFINITIONS = {
  common:
    'CipvcGVudGVsZW1ldHJ5L3Byb3RvL2NvbW1vbi92MS9jb21tb24ucHJvdG8SHW9wZW50ZWxlbWV0cnkucHJvdG8uY29tbW9uLnYxIq0CCghBbnlWYWx1ZRIWCgxzdHJpbmdfdmFsdWUYASABKAlIABIUCgpib29sX3ZhbHVlGAIgASgISAASEwoJaW50X3ZhbHVlGAMgASgDSAASFgoMZG91YmxlX3ZhbHVlGAQgASgBSAASQAoLYXJyYXlfdmFsdWUYBSABKAsyKS5vcGVudGVsZW1ldHJ5LnByb3RvLmNvbW1vbi52MS5BcnJheVZhbHVlSAASQwoMa3ZsaXN0X3ZhbHVlGAYgASgLMisub3BlbnRlbGVtZXRyeS5wcm90by5jb21tb24udjEuS2V5VmFsdWVMaXN0SAASFQoLYnl0ZXNfdmFsdWUYByABKAxIABIfChVzdHJpbmdfdmFsdWVfc3RyaW5kZXgYCCABKAVIAEIHCgV2YWx1ZSJFCgpBcnJheVZhbHVlEjcKBnZhbHVlcxgBIAMoCzInLm9wZW50ZWxlbWV0cnkucHJvdG8uY29tbW9uLnYxLkFueVZhbHVlIkcKDEtleVZhbHVlTGlzdBI3CgZ2YWx1ZXMYASADKAsyJy5vcGVudGVsZW1ldHJ5LnByb3RvLmNvbW1vbi52MS5LZXlWYWx1ZSJlCghLZXlWYWx1ZRILCgNrZXkYASABKAkSNgoFdmFsdWUYAiABKAsyJy5vcGVudGVsZW1ldHJ5LnByb3RvLmNvbW1vbi52MS5BbnlWYWx1ZRIUCgxrZXlfc3RyaW5kZXgYAyABKAUilAEKFEluc3RydW1lbnRhdGlvblNjb3BlEgwKBG5hbWUYASABKAkSDwoHdmVyc2lvbhgCIAEoCRI7CgphdHRyaWJ1dGVzGAMgAygLMicub3BlbnRlbGVtZXRyeS5wcm90by5jb21tb24udjEuS2V5VmFsdWUSIAoYZHJvcHBlZF9hdHRyaWJ1dGVzX2NvdW50GAQgASgNIlgKCUVudGl0eVJlZhISCgpzY2hlbWFfdXJsGAEgASgJEgwKBHR5cGUYAiABKAkSDwoHaWRfa2V5cxgDIAMoCRIYChBkZXNjcmlwdGlvbl9rZXlzGAQgAygJQnsKIGlvLm9wZW50ZWxlbWV0cnkucHJvdG8uY29tbW9uLnYxQgtDb21tb25Qcm90b1ABWihnby5vcGVudGVsZW1ldHJ5LmlvL3Byb3RvL290bHAvY29tbW9uL3YxqgIdT3BlblRlbGVtZXRyeS5Qcm90by5Db21tb24uVjFiBnByb3RvMw',
  resource:
    'Ci5vcGVudGVsZW1ldHJ5L3Byb3RvL3Jlc291cmNlL3YxL3Jlc291cmNlLnByb3RvEh9vcGVudGVsZW1ldHJ5LnByb3RvLnJlc291cmNlLnYxGipvcGVudGVsZW1ldHJ5L3Byb3RvL2NvbW1vbi92MS9jb21tb24ucHJvdG8iqAEKCFJlc291cmNlEjsKCmF0dHJpYnV0ZXMYASADKAsyJy5vcGVudGVsZW1ldHJ5LnByb3RvLmNvbW1vbi52MS5LZXlWYWx1ZRIgChhkcm9wcGVkX2F0dHJpYnV0ZXNfY291bnQYAiABKA0SPQoLZW50aXR5X3JlZnMYAyADKAsyKC5vcGVudGVsZW1ldHJ5LnByb3RvLmNvbW1vbi52MS5FbnRpdHlSZWZCgwEKImlvLm9wZW50ZWxlbWV0cnkucHJvdG8ucmVzb3VyY2UudjFCDVJlc291cmNlUHJvdG9QAVoqZ28ub3BlbnRlbGVtZXRyeS5pby9wcm90by9vdGxwL3Jlc291cmNlL3YxqgIfT3BlblRlbGVtZXRyeS5Qcm90by5SZXNvdXJjZS5WMWIGcHJvdG8z',
  trace:
    'CihvcGVudGVsZW1ldHJ5L3Byb3RvL3RyYWNlL3YxL3RyYWNlLnByb3RvEhxvcGVudGVsZW1ldHJ5LnByb3RvLnRyYWNlLnYxGipvcGVudGVsZW1ldHJ5L3Byb3RvL2NvbW1vbi92MS9jb21tb24ucHJvdG8aLm9wZW50ZWxlbWV0cnkvcHJvdG8vcmVzb3VyY2UvdjEvcmVzb3VyY2UucHJvdG8iUQoKVHJhY2VzRGF0YRJDCg5yZXNvdXJjZV9zcGFucxgBIAMoCzIrLm9wZW50ZWxlbWV0cnkucHJvdG8udHJhY2UudjEuUmVzb3VyY2VTcGFucyKnAQoNUmVzb3VyY2VTcGFucxI7CghyZXNvdXJjZRgBIAEoCzIpLm9wZW50ZWxlbWV0cnkucHJvdG8ucmVzb3VyY2UudjEuUmVzb3VyY2USPQoLc2NvcGVfc3BhbnMYAiADKAsyKC5vcGVudGVsZW1ldHJ5LnByb3RvLnRyYWNlLnYxLlNjb3BlU3BhbnMSEgoKc2NoZW1hX3VybBgDIAEoCUoGCOgHEOkHIpcBCgpTY29wZVNwYW5zEkIKBXNjb3BlGAEgASgLMjMub3BlbnRlbGVtZXRyeS5wcm90by5jb21tb24udjEuSW5zdHJ1bWVudGF0aW9uU2NvcGUSMQoFc3BhbnMYAiADKAsyIi5vcGVudGVsZW1ldHJ5LnByb3RvLnRyYWNlLnYxLlNwYW4SEgoKc2NoZW1hX3VybBgDIAEoCSKECAoEU3BhbhIQCgh0cmFjZV9pZBgBIAEoDBIPCgdzcGFuX2lkGAIgASgMEhMKC3RyYWNlX3N0YXRlGAMgASgJEhYKDnBhcmVudF9zcGFuX2lkGAQgASgMEg0KBWZsYWdzGBAgASgHEgwKBG5hbWUYBSABKAkSOQoEa2luZBgGIAEoDjIrLm9wZW50ZWxlbWV0cnkucHJvdG8udHJhY2UudjEuU3Bhbi5TcGFuS2luZBIcChRzdGFydF90aW1lX3VuaXhfbmFubxgHIAEoBhIaChJlbmRfdGltZV91bml4X25hbm8YCCABKAYSOwoKYXR0cmlidXRlcxgJIAMoCzInLm9wZW50ZWxlbWV0cnkucHJvdG8uY29tbW9uLnYxLktleVZhbHVlEiAKGGRyb3BwZWRfYXR0cmlidXRlc19jb3VudBgKIAEoDRI4CgZldmVudHMYCyADKAsyKC5vcGVudGVsZW1ldHJ5LnByb3RvLnRyYWNlLnYxLlNwYW4uRXZlbnQSHAoUZHJvcHBlZF9ldmVudHNfY291bnQYDCABKA0SNgoFbGlua3MYDSADKAsyJy5vcGVudGVsZW1ldHJ5LnByb3RvLnRyYWNlLnYxLlNwYW4uTGluaxIbChNkcm9wcGVkX2xpbmtzX2NvdW50GA4gASgNEjQKBnN0YXR1cxgPIAEoCzIkLm9wZW50ZWxlbWV0cnkucHJvdG8udHJhY2UudjEuU3RhdHVzGowBCgVFdmVudBIWCg50aW1lX3VuaXhfbmFubxgBIAEoBhIMCgRuYW1lGAIgASgJEjsKCmF0dHJpYnV0ZXMYAyADKAsyJy5vcGVudGVsZW1ldHJ5LnByb3RvLmNvbW1vbi52MS5LZXlWYWx1ZRIgChhkcm9wcGVkX2F0dHJpYnV0ZXNfY291bnQYBCABKA0arAEKBExpbmsSEAoIdHJhY2VfaWQYASABKAwSDwoHc3Bhbl9pZBgCIAEoDBITCgt0cmFjZV9zdGF0ZRgDIAEoCRI7CgphdHRyaWJ1dGVzGAQgAygLMicub3BlbnRlbGVtZXRyeS5wcm90by5jb21tb24udjEuS2V5VmFsdWUSIAoYZHJvcHBlZF9hdHRyaWJ1dGVzX2NvdW50GAUgASgNEg0KBWZsYWdzGAYgASgHIpkBCghTcGFuS2luZBIZChVTUEFOX0tJTkRfVU5TUEVDSUZJRUQQABIWChJTUEFOX0tJTkRfSU5URVJOQUwQARIUChBTUEFOX0tJTkRfU0VSVkVSEAISFAoQU1BBTl9LSU5EX0NMSUVOVBADEhYKElNQQU5fS0lORF9QUk9EVUNFUhAEEhYKElNQQU5fS0lORF9DT05TVU1FUhAFIq4BCgZTdGF0dXMSDwoHbWVzc2FnZRgCIAEoCRI9CgRjb2RlGAMgASgOMi8ub3BlbnRlbGVtZXRyeS5wcm90by50cmFjZS52MS5TdGF0dXMuU3RhdHVzQ29kZSJOCgpTdGF0dXNDb2RlEhUKEVNUQVRVU19DT0RFX1VOU0VUEAASEgoOU1RBVFVTX0NPREVfT0sQARIVChFTVEFUVVNfQ09ERV9FUlJPUhACSgQIARACKpwBCglTcGFuRmxhZ3MSGQoVU1BBTl9GTEFHU19ET19OT1RfVVNFEAASIAobU1BBTl9GTEFHU19UUkFDRV9GTEFHU19NQVNLEP8BEioKJVNQQU5fRkxBR1NfQ09OVEVYVF9IQVNfSVNfUkVNT1RFX01BU0sQgAISJgohU1BBTl9GTEFHU19DT05URVhUX0lTX1JFTU9URV9NQVNLEIAEQncKH2lvLm9wZW50ZWxlbWV0cnkucHJvdG8udHJhY2UudjFCClRyYWNlUHJvdG9QAVonZ28ub3BlbnRlbGVtZXRyeS5pby9wcm90by9vdGxwL3RyYWNlL3YxqgIcT3BlblRlbGVtZXRyeS5Qcm90by5UcmFjZS5WMWIGcHJvdG8z',
  service:
    'CjpvcGVudGVsZW1ldHJ5L3Byb3RvL2NvbGxlY3Rvci90cmFjZS92MS90cmFjZV9zZXJ2aWNlLnByb3RvEiZvcGVudGVsZW1ldHJ5LnByb3RvLmNvbGxlY3Rvci50cmFjZS52MRoob3BlbnRlbGVtZXRyeS9wcm90by90cmFjZS92MS90cmFjZS5wcm90byJgChlFeHBvcnRUcmFjZVNlcnZpY2VSZXF1ZXN0EkMKDnJlc291cmNlX3NwYW5zGAEgAygLMisub3BlbnRlbGVtZXRyeS5wcm90by50cmFjZS52MS5SZXNvdXJjZVNwYW5zIngKGkV4cG9ydFRyYWNlU2VydmljZVJlc3BvbnNlEloKD3BhcnRpYWxfc3VjY2VzcxgBIAEoCzJBLm9wZW50ZWxlbWV0cnkucHJvdG8uY29sbGVjdG9yLnRyYWNlLnYxLkV4cG9ydFRyYWNlUGFydGlhbFN1Y2Nlc3MiSgoZRXhwb3J0VHJhY2VQYXJ0aWFsU3VjY2VzcxIWCg5yZWplY3RlZF9zcGFucxgBIAEoAxIVCg1lcnJvcl9tZXNzYWdlGAIgASgJMqIBCgxUcmFjZVNlcnZpY2USkQEKBkV4cG9ydBJBLm9wZW50ZWxlbWV0cnkucHJvdG8uY29sbGVjdG9yLnRyYWNlLnYxLkV4cG9ydFRyYWNlU2VydmljZVJlcXVlc3QaQi5vcGVudGVsZW1ldHJ5LnByb3RvLmNvbGxlY3Rvci50cmFjZS52MS5FeHBvcnRUcmFjZVNlcnZpY2VSZXNwb25zZSIAQpwBCilpby5vcGVudGVsZW1ldHJ5LnByb3RvLmNvbGxlY3Rvci50cmFjZS52MUIRVHJhY2VTZXJ2aWNlUHJvdG9QAVoxZ28ub3BlbnRlbGVtZXRyeS5pby9wcm90by9vdGxwL2NvbGxlY3Rvci90cmFjZS92MaoCJk9wZW5UZWxlbWV0cnkuUHJvdG8uQ29sbGVjdG9yLlRyYWNlLlYxYgZwcm90bzM',
};

const common = fileDesc(DEFINITIONS.common);
const resource = fileDesc(DEFINITIONS.resource, [common]);
const trace = fileDesc(DEFINITIONS.trace, [common, resource]);
const request = messageDesc(fileDesc(DEFINITIONS.service, [trace]), 0);

const MAX_DEPTH = 100;

/** Converts an export request to OTLP/JSON. @throws Error if it is invalid or exceeds a limit */
export function decodeRequest(bytes: Uint8Array): Mapping {
  checkShape(bytes);
  const plain = plainOf(fromBinary(request, bytes, { readUnknownFields: false }));
  return isMapping(plain) ? plain : {};
}

/** Fails if messages would take up too much memory: an empty one takes only two bytes. @throws Error */
function checkShape(bytes: Uint8Array): void {
  const reader = new BinaryReader(bytes);
  let count = 0;
  const walk = ({ fields }: DescMessage, end: number, depth: number) => {
    if (depth > MAX_DEPTH) throw new Error('It is nested too deep.');
    while (reader.pos < end) {
      const [number, wire] = reader.tag();
      count += 1;
      if (count > LIMITS.values) throw new Error('It has too many values.');
      const inner = fields.find((one) => one.number === number)?.message;
      if (inner && wire === WireType.LengthDelimited) {
        const length = reader.uint32();
        walk(inner, reader.pos + length, depth + 1);
      } else reader.skip(wire, number);
    }
  };
  walk(request, reader.len, 0);
}

/** Plain data: bytes, which are ids, become hexadecimal text, and big integers become decimal text. */
function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plainOf);
  if (!isMapping(value)) return value;
  const { value: choice } = value;
  // A value that can be of several kinds.
  if (isMapping(choice) && 'case' in choice) {
    return choice.case === undefined ? {} : { [String(choice.case)]: plainOf(choice.value) };
  }
  const { $typeName: _, ...fields } = value as Message & Mapping;
  return Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, plainOf(one)]));
}
